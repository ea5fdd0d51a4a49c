import { differential } from '../support/differential.ts'

const widths = 'u1 u2 u5 u8 u13 u16 u31 u32 u33 u52 u53 u63 i1 i2 i7 i8 i16 i31 i32 i33 i52 i53 i54 i63 i64 u64 i0 x8'

differential('bitmap', {
  pools: {
    value: ['', '\xff', '\x00\x00\xff', 'abcdefghij', '12', '\xff'.repeat(40), '\x00'.repeat(70), 'x'.repeat(1500)],
    bitOffset: '0 1 2 3 7 8 9 15 16 31 33 63 64 100 1000 12345 -1 abc',
    fieldOffset: '0 1 3 7 8 12 31 60 100 #0 #1 #2 #7 -1 #-1 #x',
    bit: '0 1 0 1 0 1 2 -1',
    width: widths,
    amount: [
      ...'0 1 -1 2 100 -100 255 256 -129 32767 65536 2147483647 -2147483648 4294967296 4503599627370496'.split(' '),
      ...'9007199254740991 -9007199254740991 9007199254740993 9223372036854775807 -9223372036854775808 9223372036854775808'.split(' '),
    ],
    edge: '0 1 2 5 8 30 -1 -2 -5 -8 -30 100 -100 1500 9223372036854775807 -9223372036854775808',
  },
  commands: `
    4 SET {key} {value}
    SETRANGE {key} {small} {value}
    GET {key}
    6 SETBIT {key} {bitOffset} {bit}
    4 GETBIT {key} {bitOffset}
    3 BITCOUNT {key} [{edge} {edge} [BYTE|BIT]]
    4 BITPOS {key} {bit} [{edge}]
    6 BITPOS {key} {bit} {edge} {edge} [BYTE|BIT|NIX]
    6 BITOP (AND|OR|XOR|NOT) {key} ({key})+
    8 BITFIELD {key} (GET {width} {fieldOffset}|SET {width} {fieldOffset} {amount}|INCRBY {width} {fieldOffset} {amount}|OVERFLOW SAT|OVERFLOW FAIL|OVERFLOW WRAP)+
    2 BITFIELD_RO {key} (GET {width} {fieldOffset})+
    DEL {key}
    STRLEN {key}
    OBJECT ENCODING {key}
  `,
})
