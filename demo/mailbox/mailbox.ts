// The built-in mailbox: where mail of the demo, and of any instance without a mail server, can be read.
import type { FastifyInstance } from 'fastify'
import { openMessages } from './messages.ts'
import { listenForMail } from './receive.ts'
import { createMailboxApp } from './web.ts'

export interface MailboxOptions {
  /** 0 picks a free one. */
  smtpPort: number
  webPort: number
  /** SQLite file, made if missing; ':memory:' for tests. */
  dataFile: string
  now?: () => Date
  /** What else is served here, under `/phone`; the page then links to it. */
  phones?: (scope: FastifyInstance) => void
}

/** The mail holds password links: page and intake are for this machine only. */
const LOOPBACK = '127.0.0.1'

export interface Mailbox {
  /** By the name that the README and the settings use. */
  url: string
  smtpUrl: string
  stop(): Promise<void>
}

/** Rejects with the system's own error (such as EADDRINUSE) when a port or the file cannot be had. */
export async function startMailbox({
  smtpPort,
  webPort,
  dataFile,
  now = () => new Date(),
  phones,
}: MailboxOptions): Promise<Mailbox> {
  const messages = openMessages(dataFile)
  const app = createMailboxApp({ messages, now, phones: phones ?? null })
  const smtp = await listenForMail(messages, smtpPort, now).catch((error: unknown) => {
    messages.close()
    throw error
  })
  const stop = async () => {
    await Promise.all([app.close(), smtp.stop()])
    messages.close()
  }
  try {
    const url = await app.listen({ port: webPort, host: LOOPBACK })
    return { url: url.replace(LOOPBACK, 'localhost'), smtpUrl: smtp.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
