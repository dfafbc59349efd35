import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SmtpPlace } from './cases.ts'
import type { AcceptedMail, FromMailServer, ToMailServer } from './mail-server.ts'

/** The mail server's process, restarted immediately whenever it dies. */
export interface MailServer {
  /** One per worker. */
  ports: readonly number[]
  /** Every message it took, in order. */
  listAccepted(): AcceptedMail[]
  /** Calls `spring` when a connection arrives there, then lets it continue. */
  trap(place: SmtpPlace, passes: number, spring: (worker: number) => void): void
  disarm(): void
  hangUp(): void
  /** Closes the connections it never answers. */
  letGo(): void
  stop(): void
}

const PROGRAM = fileURLToPath(new URL('mail-server.ts', import.meta.url))

export async function startMailServer(folder: string, workers: number): Promise<MailServer> {
  const file = path.join(folder, 'taken.jsonl')
  fs.writeFileSync(file, '')
  let ports = Array.from({ length: workers }, () => 0)
  let child: ChildProcess
  let armed: { place: SmtpPlace; passes: number; spring: (worker: number) => void } | null = null
  let isStopped = false
  const send = (message: ToMailServer) => {
    if (child.connected) child.send(message, () => {})
  }
  const start = () =>
    new Promise<void>((resolve) => {
      child = spawn(process.execPath, [PROGRAM], {
        env: { ...process.env, CRASH_MAIL_FILE: file, CRASH_MAIL_PORTS: JSON.stringify(ports) },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      child.on('message', (message: FromMailServer) => {
        if (message.type === 'listening') {
          ports = message.ports
          if (armed) send({ type: 'trap', place: armed.place, passes: 0 })
          return resolve()
        }
        const sprung = armed
        armed = null
        sprung?.spring(message.worker)
        send({ type: 'go-on' })
      })
      child.once('exit', () => {
        if (!isStopped) void start()
      })
    })
  await start()
  return {
    ports,
    listAccepted: () => readAccepted(file),
    trap(place, passes, spring) {
      armed = { place, passes, spring }
      send({ type: 'trap', place, passes })
    },
    disarm: () => (armed = null),
    hangUp: () => send({ type: 'hang-up' }),
    letGo: () => send({ type: 'let-go' }),
    stop() {
      isStopped = true
      child.kill('SIGKILL')
    },
  }
}

/** A partly written line is read the next time. */
function readAccepted(file: string): AcceptedMail[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as AcceptedMail)
}
