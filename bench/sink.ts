import { acceptMail } from './smtp.ts'

// Counts emails, bytes and connections.

const tally = { mails: 0, bytes: 0, connections: 0 }

acceptMail(
  (_, bytes) => {
    tally.mails += 1
    tally.bytes += bytes
  },
  () => {
    tally.connections += 1
  },
)
process.on('message', () => process.send!({ ...tally }))
