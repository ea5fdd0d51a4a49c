/** stream-index-cursor: the place where a search in a stream-index has ended. */
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { type KeepsViews, NO_WORDS } from '../util/views.ts'

/** A place in an index: `view[at]` is the first word of the id, `view[at + 4]` the first value word. */
export class IndexCursor implements KeepsViews {
  leaf: Ref = NULL_REF
  slot = 0
  view = NO_WORDS
  at = 0

  letGo(): void {
    this.view = NO_WORDS
  }
}
