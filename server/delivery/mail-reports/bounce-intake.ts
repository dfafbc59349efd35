import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Deps } from '../../deps.ts'
import { parseReturnPath } from '../email/public.ts'
import { readMailNews } from './dsn.ts'
import { recordMailReport } from './mail-reports.ts'

// The SMTP server for bounces. It accepts mail only to return addresses that this server created, from any sender. A
// report is stored before the 250 reply, so that a sender without a reply repeats it.

const MAX_BYTES = 2 * 1024 * 1024
const MAX_CLIENTS = 50

export interface BounceIntake {
  port: number
  stop(): Promise<void>
}

/** Port 0 chooses a free port. Rejects if it cannot listen. */
export async function listenForBounces(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  port: number,
): Promise<BounceIntake> {
  const tls = readTls(deps.config)
  const server = new SMTPServer({
    name: new URL(deps.config.publicUrl).hostname,
    banner: 'Recoup',
    authOptional: true,
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    ...tls,
    disableReverseLookup: true,
    logger: false,
    size: MAX_BYTES,
    maxClients: MAX_CLIENTS,
    socketTimeout: 60_000,
    closeTimeout: 2_000,
    onRcptTo: ({ address }, _session, done) =>
      done(findMessageId(deps, address) ? null : reply(550, '5.1.1 No such address here')),
    onData: (stream, session, done) => {
      receive(deps, stream, session).then(
        () => done(null, '2.0.0 Noted'),
        (error: unknown) => {
          if (error instanceof Error && 'responseCode' in error) return done(error)
          deps.log.error({ err: error }, 'channels.bounce_failed')
          done(reply(451, '4.3.0 Try again later'))
        },
      )
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // A local installation is reachable from this machine only.
    server.listen(port, deps.config.isLocal ? '127.0.0.1' : undefined, resolve)
  })
  // Ignores senders that disconnect early.
  server.on('error', () => {})
  const { port: opened } = server.server.address() as AddressInfo
  const renewal = tls ? setInterval(() => renew(deps, server), RENEW_EVERY_MS) : undefined
  renewal?.unref()
  const stop = () => {
    clearInterval(renewal)
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { port: opened, stop }
}

/** Certificates last weeks and are renewed in place. */
const RENEW_EVERY_MS = 6 * 3_600_000

/** null: STARTTLS is not offered. Throws if a file cannot be read. */
function readTls({ bounceTls }: Pick<Deps['config'], 'bounceTls'>) {
  return bounceTls ? { cert: readFileSync(bounceTls.certFile), key: readFileSync(bounceTls.keyFile) } : null
}

/** Reloads the certificate. If it cannot be read, the old one stays in use. */
function renew(deps: Pick<Deps, 'config' | 'log'>, server: SMTPServer): void {
  try {
    const tls = readTls(deps.config)
    if (tls) server.updateSecureContext(tls)
  } catch (error) {
    deps.log.error({ err: error }, 'channels.bounce_certificate')
  }
}

const findMessageId = ({ secrets, config }: Pick<Deps, 'config' | 'secrets'>, address: string): string | null =>
  config.bounceAddress ? parseReturnPath(secrets, config.bounceAddress, address) : null

const reply = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

async function receive(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BYTES) chunks.push(chunk)
  }
  if (stream.sizeExceeded || size > MAX_BYTES) throw reply(552, '5.3.4 Message too big')
  const news = await readMailNews(Buffer.concat(chunks))
  if (!news) return
  const ids = session.envelope.rcptTo.map(({ address }) => findMessageId(deps, address))
  for (const messageId of new Set(ids)) if (messageId) await recordMailReport(deps, { messageId, ...news })
}
