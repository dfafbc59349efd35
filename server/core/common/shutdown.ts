// Ends the process in order, once, after a signal or when its launcher dies.

const LIMIT_MS = 10_000

export type ShutdownReason = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'launcher gone'

type Options = {
  limitMs?: number
  onError?: (error: unknown) => void
}

/**
 * Runs `drain` once on the first request to stop, then exits: 0 when it finished, 1 when it failed or took longer than
 * 10 s. Ignores later requests: one Ctrl-C arrives twice, from the terminal and from the launcher. A killed launcher
 * forwards no signal, so a closed IPC channel also counts as a request. `isStopping` tells that later failures come
 * from closing resources.
 */
export function onShutdown(drain: (reason: ShutdownReason) => Promise<void>, options: Options = {}) {
  const { limitMs = LIMIT_MS, onError = () => {} } = options
  let isStopping = false
  const stop = (reason: ShutdownReason) => {
    if (isStopping) return
    isStopping = true
    const tooSlow = setTimeout(() => {
      onError(new Error(`not drained within ${limitMs} ms`))
      process.exit(1)
    }, limitMs)
    drain(reason)
      .then(() => 0)
      .catch((error) => {
        onError(error)
        return 1
      })
      .then((code) => {
        clearTimeout(tooSlow)
        process.exit(code)
      })
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
  if (process.send) process.on('disconnect', () => stop('launcher gone'))
  if (process.send && !process.connected) stop('launcher gone')
  return { isStopping: () => isStopping }
}
