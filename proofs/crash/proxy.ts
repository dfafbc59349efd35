import net from 'node:net'
import { type Edge, RELEASE, type StatementName, statements } from './cases.ts'

// Proxy between one worker and PostgreSQL. It watches the statements and kills everything at the marked one. It knows
// protocol version 3 just well enough: frames of type byte and length, and one ReadyForQuery per request, several of
// which may be in flight.

export interface Trap {
  statement: StatementName
  edge: Edge
  /** Only while one batch is being sent: matches the next one's, or a send once the next one is prepared. */
  isOverlapping: boolean
  /** How many matches pass first. */
  passes: number
  /** Called once, at the boundary; everything in flight is then lost. */
  spring(worker: number): void
}

export interface DatabaseProxy {
  port: number
  /** Name in the worker's heartbeat; changes at every start. */
  workerId(): string | null
  /** The same trap may be set in several proxies; the first to hit it springs it. */
  set(trap: Trap | null): void
  stop(): void
}

export async function startDatabaseProxy(worker: number, socketPath: string): Promise<DatabaseProxy> {
  const state: Shared = { worker, socketPath, trap: null, workerId: null, sockets: new Set(), phase: 'none' }
  const server = net.createServer((client) => connectClient(state, client))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    workerId: () => state.workerId,
    set(trap) {
      state.trap = trap
      state.phase = 'none'
    },
    stop() {
      server.close()
      for (const socket of state.sockets) socket.destroy()
    },
  }
}

interface Shared {
  worker: number
  socketPath: string
  trap: Trap | null
  workerId: string | null
  sockets: Set<net.Socket>
  /** Of one store's batches: one is being sent while the next one is prepared. */
  phase: 'none' | 'leaves' | 'next prepared'
}

interface Conversation {
  state: Shared
  client: net.Socket
  server: net.Socket
  /** Prepared statements by name. */
  texts: Map<string, string>
  /** Marked statements since `begin`; a statement outside a transaction commits by itself. */
  inTransaction: Set<StatementName> | null
  /** Set while the answer to a marked statement is held back, until as many requests are answered. */
  holding: { trap: Trap; until: number } | null
  questionCount: number
  answered: number
  fromClient: Buffer
  fromServer: Buffer
  isGreeted: boolean
}

function connectClient(state: Shared, client: net.Socket): void {
  const server = net.connect(state.socketPath)
  const talk: Conversation = {
    state,
    client,
    server,
    texts: new Map(),
    inTransaction: null,
    holding: null,
    questionCount: 0,
    answered: 0,
    fromClient: Buffer.alloc(0),
    fromServer: Buffer.alloc(0),
    isGreeted: false,
  }
  for (const socket of [client, server]) {
    state.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      state.sockets.delete(socket)
      client.destroy()
      server.destroy()
    })
  }
  client.on('data', (bytes: Buffer) => readClient(talk, bytes))
  server.on('data', (bytes: Buffer) => readServer(talk, bytes))
}

function readClient(talk: Conversation, bytes: Buffer): void {
  talk.fromClient = Buffer.concat([talk.fromClient, bytes])
  for (;;) {
    const { fromClient } = talk
    const head = talk.isGreeted ? 1 : 0
    if (fromClient.length < head + 4) return
    const length = head + fromClient.readInt32BE(head)
    if (fromClient.length < length) return
    const frame = fromClient.subarray(0, length)
    talk.fromClient = fromClient.subarray(length)
    if (talk.isGreeted && isTrappedBefore(talk, frame)) return
    if (!talk.isGreeted || isQuestion(frame)) talk.questionCount += 1
    talk.isGreeted = true
    talk.server.write(frame)
  }
}

/** Whether the trap sprang at this frame, which is then dropped. */
function isTrappedBefore(talk: Conversation, frame: Buffer): boolean {
  const text = readStatement(talk, frame)
  if (text === null) return false
  if (/^\s*(begin|start transaction)/i.test(text)) talk.inTransaction = new Set()
  const name = findStatementName(text)
  const { trap } = talk.state
  const ending = /^\s*(commit|rollback)/i.exec(text)?.[1]?.toLowerCase()
  if (name) talk.inTransaction?.add(name)
  const isOverlap = isOverlapAt(talk.state.phase, name ?? trap?.statement ?? null)
  talk.state.phase = advancePhase(talk.state.phase, name, text)
  const isCommit = ending === 'commit' && trap !== null && talk.inTransaction?.has(trap.statement) === true
  if (ending) talk.inTransaction = null
  if (!trap || !isAt(trap, name, isCommit, talk.inTransaction !== null)) return false
  if (trap.isOverlapping && !isOverlap) return false
  // Below zero: another worker hit it first, and only the answer is awaited.
  if (trap.passes < 0 || trap.passes-- > 0) return false
  if (trap.edge === 'after') {
    talk.holding = { trap, until: talk.questionCount + 1 }
    return false
  }
  end(talk, trap)
  return true
}

function isOverlapAt(phase: Shared['phase'], name: StatementName | null): boolean {
  return name === 'claim' || name === 'preparation' ? phase !== 'none' : phase === 'next prepared'
}

function advancePhase(phase: Shared['phase'], name: StatementName | null, text: string): Shared['phase'] {
  if (RELEASE.test(text)) return 'none'
  if (name === 'send' && phase === 'none') return 'leaves'
  return name === 'preparation' && phase === 'leaves' ? 'next prepared' : phase
}

function isAt(trap: Trap, name: StatementName | null, isCommit: boolean, isInTransaction: boolean): boolean {
  if (trap.edge === 'before') return name === trap.statement
  if (trap.edge === 'commit') return isCommit
  return isCommit || (name === trap.statement && !isInTransaction)
}

/** SQL text of a frame: a simple query, or a Bind of a prepared statement. */
function readStatement(talk: Conversation, frame: Buffer): string | null {
  const type = String.fromCharCode(frame[0]!)
  if (type === 'Q') return readText(frame, 5).text
  if (type === 'P') {
    const name = readText(frame, 5)
    talk.texts.set(name.text, readText(frame, name.end).text)
    return null
  }
  if (type !== 'B') return null
  const portal = readText(frame, 5)
  const name = readText(frame, portal.end)
  const text = talk.texts.get(name.text) ?? ''
  if (/^\s*with gone as \(delete from workers/.test(text)) talk.state.workerId = firstParameter(frame, name.end)
  return text
}

function readText(frame: Buffer, start: number): { text: string; end: number } {
  const end = frame.indexOf(0, start)
  return { text: frame.toString('utf8', start, end), end: end + 1 }
}

function firstParameter(frame: Buffer, start: number): string {
  const formats = frame.readInt16BE(start)
  const at = start + 2 + 2 * formats + 2
  return frame.toString('utf8', at + 4, at + 4 + frame.readInt32BE(at))
}

function findStatementName(text: string): StatementName | null {
  for (const name of Object.keys(statements) as StatementName[]) if (statements[name].test(text)) return name
  return null
}

/** An answer is complete with ReadyForQuery; the commit is done by then. */
function readServer(talk: Conversation, bytes: Buffer): void {
  talk.fromServer = Buffer.concat([talk.fromServer, bytes])
  let at = 0
  for (;;) {
    const { fromServer } = talk
    const next = at + 5 <= fromServer.length ? at + 1 + fromServer.readInt32BE(at + 1) : Number.POSITIVE_INFINITY
    if (next > fromServer.length) break
    if (fromServer[at] === READY) talk.answered += 1
    at = next
  }
  talk.fromServer = talk.fromServer.subarray(at)
  if (!talk.holding) talk.client.write(bytes)
  else if (talk.answered >= talk.holding.until) end(talk, talk.holding.trap)
}

const READY = 'Z'.charCodeAt(0)

/** A simple query, or the Sync after a prepared one. The startup message counts too. */
const isQuestion = (frame: Buffer): boolean => frame[0] === 'Q'.charCodeAt(0) || frame[0] === 'S'.charCodeAt(0)

function end(talk: Conversation, trap: Trap): void {
  trap.spring(talk.state.worker)
  talk.client.destroy()
  talk.server.destroy()
}
