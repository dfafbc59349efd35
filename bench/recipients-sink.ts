import { acceptMail } from './smtp.ts'

// Records how many emails each recipient got, and when. Returns the record since the last `forget`.

const arrivals = new Map<string, number[]>()
let mails = 0
let firstAt: number | null = null
let lastAt: number | null = null

acceptMail((recipient) => {
  const now = Date.now()
  const theirs = arrivals.get(recipient)
  if (theirs) theirs.push(now)
  else arrivals.set(recipient, [now])
  // Reminders of other stores are queried by address.
  if (recipient.endsWith('@singles.example')) return
  mails += 1
  firstAt ??= now
  lastAt = now
})

process.on('message', (message: { of?: string; isAll?: boolean; forget?: boolean }) => {
  if (message.forget) {
    arrivals.clear()
    mails = 0
    firstAt = null
    lastAt = null
  }
  const at = message.of ? (arrivals.get(message.of) ?? []) : undefined
  const counts = message.isAll ? [...arrivals].map(([recipient, times]) => [recipient, times.length]) : undefined
  process.send!({ mails, firstAt, lastAt, at, counts })
})
