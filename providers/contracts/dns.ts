import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

// An authoritative DNS server over UDP (RFC 1035). It returns a record, an empty answer, NXDOMAIN, or nothing.

interface Entry {
  TXT?: string[]
  A?: string[]
  MX?: string[]
  CNAME?: string[]
}

export interface NameServer {
  /** `address:port`, as DNS_SERVERS takes it. */
  address: string
  zone: Record<string, Entry>
  /** Names without any reply, and names with a server failure. */
  silent: Set<string>
  failing: Set<string>
  questions: string[]
  close(): Promise<void>
}

const TYPES = { 1: 'A', 5: 'CNAME', 15: 'MX', 16: 'TXT' } as const
const NO_NAME = 3
const SERVER_FAILURE = 2

export async function openNameServer(zone: Record<string, Entry> = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  const server: NameServer = {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    zone,
    silent: new Set(),
    failing: new Set(),
    questions: [],
    close: () => new Promise((done) => socket.close(() => done())),
  }
  socket.on('message', (packet, from) => {
    const reply = respond(server, packet)
    if (reply) socket.send(reply, from.port, from.address)
  })
  return server
}

function respond(server: NameServer, packet: Buffer): Buffer | null {
  const { name, end } = readName(packet)
  const type = TYPES[packet.readUInt16BE(end) as keyof typeof TYPES]
  const question = packet.subarray(12, end + 4)
  server.questions.push(name)
  if (server.silent.has(name)) return null
  if (server.failing.has(name)) return encodeMessage(packet, question, [], SERVER_FAILURE)
  const rows = (type && server.zone[name]?.[type]) ?? []
  const isKnown = Object.keys(server.zone).some((known) => known === name || known.endsWith(`.${name}`))
  return encodeMessage(
    packet,
    question,
    rows.map((row) => record(packet.readUInt16BE(end), row)),
    isKnown ? 0 : NO_NAME,
  )
}

function readName(packet: Buffer) {
  const labels: string[] = []
  let at = 12
  while (packet[at] !== 0) {
    const length = packet[at]!
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function encodeMessage(packet: Buffer, question: Buffer, records: Buffer[], code: number): Buffer {
  const head = Buffer.alloc(12)
  packet.copy(head, 0, 0, 2)
  // Flags: authoritative answer, recursion desired and available.
  head.writeUInt16BE(0x8580 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, question, ...records])
}

function record(type: number, row: string): Buffer {
  const data = encodeData(type, row)
  const head = Buffer.alloc(12)
  // The name is a pointer to the question.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function encodeData(type: number, row: string): Buffer {
  if (type === 1) return Buffer.from(row.split('.').map(Number))
  if (type === 5) return encodeName(row)
  if (type === 15) return Buffer.concat([Buffer.from([0, 10]), encodeName(row)])
  // A text longer than 255 bytes is split into chunks.
  const pieces = row.match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(pieces.map((piece) => Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece)])))
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}
