// The mailbox's SMTP server: accepts every message from this machine and answers 250 once it is stored.
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Messages } from './messages.ts'
import { summarize } from './parse.ts'

const MAX_BYTES = 10 * 1024 * 1024
export async function listenForMail(messages: Messages, at: { host: string; port: number }, now: () => Date) {
  const server = new SMTPServer({
    name: 'recoup-mailbox',
    banner: 'Recoup mailbox',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_BYTES,
    maxClients: 100,
    closeTimeout: 2_000,
    onData: (stream, session, done) => {
      receive(messages, stream, session, now).then((id) => done(null, `stored as ${id}`), done)
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, resolve)
  })
  // Ignores senders that disconnect during a message.
  server.on('error', () => {})
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function receive(messages: Messages, stream: SMTPServerDataStream, session: SMTPServerSession, now: () => Date) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BYTES) chunks.push(chunk)
  }
  if (stream.sizeExceeded || size > MAX_BYTES) {
    throw Object.assign(new Error('5.3.4 Message too big'), { responseCode: 552 })
  }
  const to = session.envelope.rcptTo.map(({ address }) => address)
  return messages.add(await summarize(Buffer.concat(chunks), to, now().toISOString()))
}
