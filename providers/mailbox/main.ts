// Runs the mailbox alone: node providers/mailbox/main.ts
import { startMailbox } from './mailbox.ts'

const { MAILBOX_PORT = '3002', MAILBOX_SMTP_PORT = '3025', DATA_DIR = './data' } = process.env

try {
  const mailbox = await startMailbox({
    webPort: Number(MAILBOX_PORT),
    smtpPort: Number(MAILBOX_SMTP_PORT),
    dataFile: `${DATA_DIR}/mailbox.sqlite`,
  })
  console.log(`Mailbox: ${mailbox.url} takes mail at ${mailbox.smtpUrl}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void mailbox.stop())
} catch (error) {
  console.error(`The mailbox cannot start: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
