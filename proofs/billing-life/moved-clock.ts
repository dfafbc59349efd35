import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

// Imported by a server that a journey starts: the journey moves its clock forward. Timers and the database keep the real time.

let aheadMs = 0

if (isMainThread && process.argv[1]?.endsWith(path.join('server', 'main.ts'))) {
  globalThis.Date = movedDate(Date)
  // `/86400000`: from now on so many milliseconds ahead of the real time.
  const control = http.createServer((request, reply) => {
    aheadMs = Number(request.url!.slice(1))
    reply.end()
  })
  control.listen(0, '127.0.0.1', () => {
    process.stdout.write(`clock at port ${(control.address() as AddressInfo).port}\n`)
  })
  control.unref()
}

/** Its instances are those of the real one. */
function movedDate(real: DateConstructor): DateConstructor {
  const now = () => real.now() + aheadMs
  return new Proxy(real, {
    construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [now()], made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
}
