import { AppError } from '../../core/common/errors.ts'
import { createSeats } from '../../core/common/seats.ts'

// A 20 MB file needs some hundred megabytes and seconds to parse. So two are parsed at a time, one per account; the
// others wait without using memory.

const seats = createSeats(2)
/** The last waiting import of each account. */
const lines = new Map<string, Promise<unknown>>()

/** Limits an account to one file at a time, so that its other files do not delay other accounts. */
export async function inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const mine = (lines.get(accountId) ?? Promise.resolve()).then(() => seats(work))
  const over = mine.catch(() => undefined)
  lines.set(accountId, over)
  void over.then(() => {
    if (lines.get(accountId) === over) lines.delete(accountId)
  })
  return mine
}

const uploading = new Set<string>()

/** Limits uploads, because an uploaded file stays in memory while it waits. */
export async function oneUpload<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  if (uploading.has(accountId)) {
    throw new AppError('conflict', 'Another file is being uploaded. Please try again when that one is read.')
  }
  uploading.add(accountId)
  try {
    return await work()
  } finally {
    uploading.delete(accountId)
  }
}
