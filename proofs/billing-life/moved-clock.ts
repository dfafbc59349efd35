import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

// Imported by a server that a journey starts: the journey moves the server's clock forward. Timers and the database
// keep real time.

let aheadMs = 0

if (isMainThread && process.argv[1]?.endsWith(path.join('server', 'main.ts'))) {
  globalThis.Date = createMovedDate(Date)
  // `/86400000`: the clock is this many milliseconds ahead of real time from now on.
  const control = http.createServer((request, reply) => {
    aheadMs = Number(request.url!.slice(1))
    reply.end()
  })
  control.listen(0, '127.0.0.1', () => {
    process.stdout.write(`clock at port ${(control.address() as AddressInfo).port}\n`)
  })
  control.unref()
}

/** Instances have the real class. */
function createMovedDate(real: DateConstructor): DateConstructor {
  const now = () => real.now() + aheadMs
  return new Proxy(real, {
    construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [now()], made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
