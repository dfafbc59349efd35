import { createSemaphore } from '../../core/common/concurrency.ts'
import { AppError } from '../../core/common/errors.ts'

// A 20 MB file needs some hundred megabytes and seconds to parse. So two are parsed at a time, one per account; the
// others wait without using memory.

const semaphore = createSemaphore(2)
/** The last waiting import of each account. */
const accountQueues = new Map<string, Promise<unknown>>()

/** Limits an account to one file at a time, so that its other files do not delay other accounts. */
export async function runInTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const mine = (accountQueues.get(accountId) ?? Promise.resolve()).then(() => semaphore(work))
  const over = mine.catch(() => undefined)
  accountQueues.set(accountId, over)
  void over.then(() => {
    if (accountQueues.get(accountId) === over) accountQueues.delete(accountId)
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
