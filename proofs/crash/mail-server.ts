import fs from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { CROWD_DOMAIN, type SmtpPlace } from './cases.ts'

// A mail server as its own process, with one port per worker to know whose connection it stops. It writes each message
// to a file before it replies. The recipient's name selects the treatment: hang (taken, never answered) · drop (taken,
// connection lost) · die (taken, server exits) · later (4xx to the recipient, once) · full (4xx to the message, once) ·
// nobody, spam (5xx) · any other is accepted.

export type FromMailServer = { type: 'listening'; ports: number[] } | { type: 'at'; worker: number }
export type ToMailServer =
  | { type: 'trap'; place: SmtpPlace; passes: number }
  | { type: 'go-on' }
  /** Closes every connection, including idle ones. */
  | { type: 'hang-up' }
  /** Closes the connections it never answers. */
  | { type: 'let-go' }

export interface AcceptedMail {
  /** Message row, from the Message-ID. */
  key: string
  to: string
  /** false: taken without a reply. */
  isAnswered: boolean
}

const TAKES_MS = 60
/** Slow enough that one batch is still being sent when the next is prepared, even on a slow machine. */
const TAKES_OF_CROWD_MS = 240
const file = process.env.CRASH_MAIL_FILE!
const requestedPorts = JSON.parse(process.env.CRASH_MAIL_PORTS!) as number[]

let trap: { place: SmtpPlace; passes: number } | null = null
let goOn = () => {}
const putOff = new Set<string>()
const hanging = new Set<Socket>()

const servers = requestedPorts.map((_, worker) => createSmtpServer(worker))
const ports = await Promise.all(servers.map((server, worker) => listen(server, requestedPorts[worker]!)))
process.on('message', (message: ToMailServer) => {
  if (message.type === 'trap') trap = { place: message.place, passes: message.passes }
  else if (message.type === 'go-on') goOn()
  else if (message.type === 'let-go') for (const socket of hanging) socket.destroy()
  else hangUp()
})
process.on('disconnect', () => process.exit())
sendToParent({ type: 'listening', ports })

function createSmtpServer(worker: number): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, callback) => void pass(worker, 'connect').then(() => callback()),
    onMailFrom: (_address, _session, callback) => void pass(worker, 'mail').then(() => callback()),
    onRcptTo: ({ address }, _session, callback) => callback(findRefusal(address)),
    onData: (stream, session, callback) => void handleMail(worker, stream, session).then(callback, callback),
  }).on('error', () => {})
}

function listen(server: SMTPServer, port: number): Promise<number> {
  return new Promise((resolve) =>
    server.listen(port, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port)),
  )
}

function sendToParent(message: FromMailServer): void {
  process.send?.(message)
}

/** Waits at a trapped place until released; other connections pass. */
function pass(worker: number, place: SmtpPlace): Promise<void> {
  if (trap?.place !== place || trap.passes-- > 0) return Promise.resolve()
  trap = null
  return new Promise((resolve) => {
    goOn = resolve
    sendToParent({ type: 'at', worker })
  })
}

const parseTreatment = (address: string): string => address.slice(0, address.indexOf('-'))

function isFirstTime(address: string): boolean {
  if (putOff.has(address)) return false
  putOff.add(address)
  return true
}

function createRefusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

function findRefusal(address: string): Error | null {
  const treatment = parseTreatment(address)
  if (treatment === 'nobody') return createRefusal(550, '5.1.1 no such user here')
  if (treatment === 'later' && isFirstTime(address))
    return createRefusal(450, '4.7.1 greylisted, come back in 2 seconds')
  return null
}

async function handleMail(
  worker: number,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<Error | null> {
  const to = session.envelope.rcptTo[0]!.address
  const key = /^Message-ID: <([^@>]+)@/im.exec(await readBody(worker, stream))![1]!
  const treatment = parseTreatment(to)
  if (treatment === 'spam') return createRefusal(554, '5.7.1 looks like spam')
  if (treatment === 'full' && isFirstTime(to)) return createRefusal(452, '4.3.1 no space left, come back in 2 seconds')
  const isAnswered = !['hang', 'drop', 'die'].includes(treatment)
  fs.appendFileSync(file, `${JSON.stringify({ key, to, isAnswered } satisfies AcceptedMail)}\n`)
  await pass(worker, 'dot')
  if (treatment === 'die') process.kill(process.pid, 'SIGKILL')
  const socket = findSocket(worker, session)
  if (treatment === 'drop') socket?.destroy()
  if (treatment === 'hang' && socket) hanging.add(socket)
  if (!isAnswered) return new Promise(() => {})
  const takesMs = to.endsWith(CROWD_DOMAIN) ? TAKES_OF_CROWD_MS : TAKES_MS
  await new Promise((resolve) => setTimeout(resolve, takesMs))
  return null
}

async function readBody(worker: number, stream: SMTPServerDataStream): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) {
    if (parts.length === 0) await pass(worker, 'data')
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString()
}

interface Connection {
  session: SMTPServerSession
  _socket: Socket
}

const listConnections = (server: SMTPServer): Connection[] => [...(server.connections as unknown as Set<Connection>)]

function findSocket(worker: number, { id }: SMTPServerSession): Socket | undefined {
  return listConnections(servers[worker]!).find((each) => each.session.id === id)?._socket
}

function hangUp(): void {
  for (const connection of servers.flatMap(listConnections)) connection._socket.destroy()
}
