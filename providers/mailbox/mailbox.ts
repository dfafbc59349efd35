// The built-in mailbox: receives emails of the demo and of instances without a mail server.
import type { FastifyInstance } from 'fastify'
import { openMessages } from './messages.ts'
import { listenForMail } from './receive.ts'
import { createMailboxApp } from './web.ts'

export interface MailboxOptions {
  /** Emails contain password links, so web page and SMTP listen on loopback unless a container needs more. */
  host?: string
  /** 0 picks a free one. */
  smtpPort: number
  webPort: number
  /** SQLite file, created if missing; ':memory:' for tests. */
  dataFile: string
  now?: () => Date
  /** Registers the phones under `/phone`; the page then links to them. */
  phones?: (scope: FastifyInstance) => void
}

export interface Mailbox {
  /** URL with the host name of README and settings. */
  url: string
  smtpUrl: string
  stop(): Promise<void>
}

/** Rejects with the system's error (such as EADDRINUSE) when a port or the file is not available. */
export async function startMailbox({
  host = '127.0.0.1',
  smtpPort,
  webPort,
  dataFile,
  now = () => new Date(),
  phones,
}: MailboxOptions): Promise<Mailbox> {
  const messages = openMessages(dataFile)
  const app = createMailboxApp({ messages, now, phones: phones ?? null })
  const smtp = await listenForMail(messages, { host, port: smtpPort }, now).catch((error: unknown) => {
    messages.close()
    throw error
  })
  const stop = async () => {
    await Promise.all([app.close(), smtp.stop()])
    messages.close()
  }
  try {
    const url = new URL(await app.listen({ port: webPort, host }))
    return { url: `http://localhost:${url.port}`, smtpUrl: smtp.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
