import { differential } from '../support/differential.ts'

const range = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `e${from + i}`)

differential('hyperloglog', {
  pools: {
    element: (random) => `e${random.below(3000)}`,
    // Damage to the header, and zeros behind the last register. Where damage cuts a run in two, the reference writes behind the string.
    byte: ['\x00', '\x01', '\x7f', '\xff', '\x80', 'H'],
    place: '0 4 5 8 15',
    zeros: ['\x00', '\x01\x01'],
  },
  commands: `
    10 PFADD {key} ({element})+
    6 PFADD {key} ${range(0, 60).join(' ')}
    4 PFADD {key} ${range(500, 150).join(' ')}
    2 PFADD {key} ${range(1000, 400).join(' ')}
    PFADD {key}
    6 PFCOUNT {key}
    4 PFCOUNT ({key})+
    3 PFMERGE {key} ({key})*
    2 PFDEBUG DECODE {key}
    PFDEBUG ENCODING {key}
    PFDEBUG TODENSE {key}
    PFDEBUG GETREG {key}
    3 GET {key}
    SETRANGE {key} {place} {byte}
    APPEND {key} {zeros}
    EXPIRE {key} 1000
    OBJECT ENCODING {key}
    DEL {key}
  `,
})
