/** info: the sections of INFO. Each part registers the section it knows; this file joins and orders them. */

export type InfoFields = [name: string, value: string | number][]

interface Section {
  readonly name: string
  readonly title: string
  /** Shown by `INFO` without arguments; the others only by `all`, `everything` or their name. */
  readonly byDefault: boolean
  readonly fields: (() => InfoFields)[]
}

export class InfoSections {
  private readonly sections: Section[] = []

  /** Adds a section (in the order of INFO), or further fields to an existing one. */
  add(title: string, fields: () => InfoFields, byDefault = true): void {
    const name = title.toLowerCase()
    const existing = this.sections.find((section) => section.name === name)
    if (existing === undefined) this.sections.push({ name, title, byDefault, fields: [fields] })
    else existing.fields.push(fields)
  }

  /** The text of INFO for these section names, in lower case; none means the default set. */
  text(wanted: readonly string[]): string {
    const everything = wanted.some((name) => name === 'all' || name === 'everything')
    const defaults = wanted.length === 0 || wanted.includes('default')
    const shown = this.sections.filter(
      ({ name, byDefault }) =>
        (everything && name !== 'modules') || wanted.includes('everything') || (defaults && byDefault) || wanted.includes(name),
    )
    return shown
      .map(({ title, fields }) => {
        const lines = fields.flatMap((part) => part()).map(([name, value]) => `${name}:${value}\r\n`)
        return `# ${title}\r\n${lines.join('')}`
      })
      .join('\r\n')
  }
}
