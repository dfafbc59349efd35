import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'

// Tells whether an IP address belongs to a data centre, by the bundled list (which names its source and date) or the
// operator's own. Only the result is stored, never the address.

export type Network = 'data_centre' | 'other'

const BUNDLED = new URL('./data-centres.txt', import.meta.url)

/** Reads the list once: one range per line, `#` for comments. Throws if it cannot be read or a line is not a range. */
export function openNetworks(file: string | URL = BUNDLED): (address: string) => Network {
  const { four, six } = readRanges(readFileSync(file, 'utf8'))
  return (address) => {
    if (!ipaddr.isValid(address)) return 'other'
    const parsed = ipaddr.process(address)
    const value = toNumber(parsed)
    return isWithin(parsed.kind() === 'ipv4' ? four : six, value) ? 'data_centre' : 'other'
  }
}

interface Range {
  first: bigint
  last: bigint
}

/** Sorted and without overlaps. */
function readRanges(text: string): { four: Range[]; six: Range[] } {
  const four: Range[] = []
  const six: Range[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const range = line.replace(/#.*/, '').trim()
    if (range === '') continue
    const [address, bits] = parseRange(range, index + 1)
    const isFour = address.kind() === 'ipv4'
    const size = 1n << BigInt((isFour ? 32 : 128) - bits)
    const first = toNumber(address) & ~(size - 1n)
    ;(isFour ? four : six).push({ first, last: first + size - 1n })
  }
  return { four: mergeRanges(four), six: mergeRanges(six) }
}

function parseRange(range: string, line: number): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  try {
    return (range.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4).parseCIDR(range)
  } catch (cause) {
    throw new Error(`line ${line} of the list of data centres is no range: ${range}`, { cause })
  }
}

function mergeRanges(ranges: Range[]): Range[] {
  const out: Range[] = []
  for (const range of ranges.sort((one, other) => (one.first < other.first ? -1 : 1))) {
    const last = out.at(-1)
    if (last && range.first <= last.last) last.last = range.last > last.last ? range.last : last.last
    else out.push(range)
  }
  return out
}

function isWithin(ranges: readonly Range[], value: bigint): boolean {
  let [low, high] = [0, ranges.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const { first, last } = ranges[middle]!
    if (value < first) high = middle - 1
    else if (value > last) low = middle + 1
    else return true
  }
  return false
}

const toNumber = (address: ipaddr.IPv4 | ipaddr.IPv6): bigint =>
  address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
