// Test support: the smallest MMDB database (https://maxmind.github.io/MaxMind-DB/), with one record for all of IPv4.

type Value = string | number | Value[] | { [name: string]: Value }

/** Every address has this record. `builtAt`: Unix time in seconds. */
export function buildMmdb(record: Value, builtAt = 1_767_225_600): Buffer {
  const nodes = 1
  const pointer = Buffer.alloc(3)
  pointer.writeUIntBE(nodes + 16, 0, 3)
  const about = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: builtAt,
    database_type: 'Test-City',
    description: {},
    languages: ['en'],
    ip_version: 4,
    node_count: nodes,
    record_size: 24,
  }
  const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([pointer, pointer, Buffer.alloc(16), encode(record), mark, encode(about)])
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([encodeHead(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([encodeHead(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([
    encodeHead(7, entries.length),
    ...entries.flatMap(([name, each]) => [encode(name), encode(each)]),
  ])
}

/** Sizes up to 28 fit into the first byte. */
function encodeHead(type: number, size: number): Buffer {
  if (size > 28) throw new Error('too long for this test')
  return Buffer.from([(type << 5) | size])
}
