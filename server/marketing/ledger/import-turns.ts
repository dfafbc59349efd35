import { AppError } from '../../core/common/errors.ts'
import { createSeats } from '../../core/common/seats.ts'

// A file of 20 MB takes some hundred megabytes and seconds while it is read. So two are read at a time, one of each account, and the others
// wait without taking any.

const seats = createSeats(2)
/** The last one in each account's line. */
const lines = new Map<string, Promise<unknown>>()

/** One account's many files keep nobody else's waiting for more than one of them. */
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

/** What is uploaded has to be kept in memory while it waits for its turn. */
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
