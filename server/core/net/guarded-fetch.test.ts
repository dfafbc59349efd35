import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { serve } from '../../../providers/contracts/serve.ts'
import { readLocalhostTls } from '../../../providers/contracts/tls.ts'
import { evaluateAddress } from './addresses.ts'
import { FetchProblem } from './fetch-problem.ts'
import { type GuardedFetchOptions, openGuardedHttp } from './guarded-fetch.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

function guarded(options: Partial<GuardedFetchOptions> = {}) {
  const http = openGuardedHttp({ allowPrivate: true, ...options })
  open.push(http)
  return http.fetch
}

async function served(...input: Parameters<typeof serve>) {
  const server = await serve(...input)
  open.push(server)
  return server
}

async function readKind(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => 'an answer',
    (reason: unknown) => reason,
  )
  return error instanceof FetchProblem ? error.kind : String(error)
}

describe('allowed addresses', () => {
  const refused = {
    forbidden: [
      '169.254.169.254',
      'fe80::1',
      '0.0.0.0',
      '::',
      '255.255.255.255',
      '224.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::ffff:0:127.0.0.1',
      '168.63.129.16',
      'fd00:ec2::254',
      '192.0.0.192',
      '240.0.0.1',
      'not an address',
    ],
    private: [
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.100.100.200',
      '::1',
      'fd12::1',
      '::ffff:192.168.0.1',
      '::127.0.0.1',
    ],
    public: ['8.8.8.8', '2606:4700::1111'],
  }
  test.each(Object.entries(refused))('%s', (kind, addresses) => {
    for (const address of addresses) expect([address, evaluateAddress(address)]).toEqual([address, kind])
  })

  test('a private address is refused in every spelling', async () => {
    const { port } = await served((_, reply) => reply.end('secret'))
    const fetch = guarded({ allowPrivate: false })
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0']) {
      expect([host, await readKind(fetch(`http://${host}:${port}/`))]).toEqual([host, 'private_address'])
    }
  })

  test('a link-local address is refused even where private ones are allowed', async () => {
    expect(await readKind(guarded()('http://169.254.169.254/latest/meta-data/'))).toBe('private_address')
  })

  test('one exact origin may be private, but not another port of it', async () => {
    const demo = await served((_, reply) => reply.end('demo'))
    const other = await served((_, reply) => reply.end('other'))
    const fetch = guarded({ allowPrivate: false, allowedOrigins: [`http://localhost:${demo.port}`] })
    expect((await fetch(`http://localhost:${demo.port}/`)).body.toString()).toBe('demo')
    expect(await readKind(fetch(`http://localhost:${other.port}/`))).toBe('private_address')
  })

  test('the name is resolved once, so the checked address is the dialled one', async () => {
    const { port } = await served((_, reply) => reply.end('checked'))
    let lookups = 0
    const fetch = guarded({
      lookup: (_, __, callback) => {
        lookups += 1
        // Rebinding: harmless for the check, the metadata service for the connection. The second answer is never
        // requested.
        callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }])
      },
    })
    expect((await fetch(`http://shop.example:${port}/`)).body.toString()).toBe('checked')
    expect(lookups).toBe(1)
  })

  test('the socket gets only the addresses that passed', async () => {
    const { port } = await served((_, reply) => reply.end('answer'))
    const fetch = guarded({
      lookup: (_, __, callback) =>
        callback(null, [
          { address: '169.254.169.254', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    })
    expect((await fetch(`http://shop.example:${port}/`)).body.toString()).toBe('answer')
  })
})

describe('redirects', () => {
  test('are followed one by one, five at most', async () => {
    const { port } = await served((request, reply) => {
      const hopsLeft = Number(request.url?.slice(1))
      if (hopsLeft > 0) reply.writeHead(302, { location: `/${hopsLeft - 1}` }).end()
      else reply.end('there')
    })
    const fetch = guarded()
    expect(await fetch(`http://localhost:${port}/5`)).toMatchObject({ status: 200, isRedirected: true })
    expect(await readKind(fetch(`http://localhost:${port}/6`))).toBe('redirect_loop')
  })

  test('into a private network are refused', async () => {
    const inside = await served((_, reply) => reply.end('inside'))
    const { port } = await served((_, reply) =>
      reply.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end(),
    )
    const fetch = guarded({ allowPrivate: false, allowedOrigins: [`http://localhost:${port}`] })
    expect(await readKind(fetch(`http://localhost:${port}/`))).toBe('private_address')
  })

  test('never carry keys to another origin, nor a body anywhere', async () => {
    const received: unknown[] = []
    const thief = await served((request, reply) => {
      received.push(request.headers.authorization)
      reply.end()
    })
    const { port } = await served((_, reply) =>
      reply.writeHead(307, { location: `http://localhost:${thief.port}/` }).end(),
    )
    const fetch = guarded()
    const headers = { authorization: 'Basic c2VjcmV0' }
    expect(await readKind(fetch(`http://localhost:${port}/`, { headers, hasCredentials: true }))).toBe(
      'redirect_refused',
    )
    expect(await readKind(fetch(`http://localhost:${port}/`, { method: 'POST', body: '{}' }))).toBe('redirect_refused')
    expect(received).toEqual([])
  })

  test('to other schemes are refused', async () => {
    const { port } = await served((_, reply) => reply.writeHead(302, { location: 'file:///etc/passwd' }).end())
    expect(await readKind(guarded()(`http://localhost:${port}/`))).toBe('bad_url')
  })
})

describe('failures are classified', () => {
  test('an untrusted certificate', async () => {
    const { port } = await served((_, reply) => reply.end(), readLocalhostTls())
    const error = await guarded()(`https://localhost:${port}/`).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'certificate', detail: 'self-signed certificate' })
  })

  test('a trusted certificate passes for its own name only', async () => {
    const { port } = await served((_, reply) => reply.end('safe'), readLocalhostTls())
    const fetch = guarded({
      ca: readLocalhostTls().cert,
      lookup: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    expect((await fetch(`https://localhost:${port}/`)).body.toString()).toBe('safe')
    expect(await readKind(fetch(`https://shop.example:${port}/`))).toBe('certificate')
  })

  test('a silent server, a stalled response, and a caller that aborts', async () => {
    const silent = await served(() => undefined)
    const slow = await served((_, reply) => reply.write('half'))
    const fetch = guarded({ totalTimeoutMs: 150 })
    expect(await readKind(fetch(`http://localhost:${silent.port}/`))).toBe('timeout')
    expect(await readKind(fetch(`http://localhost:${slow.port}/`))).toBe('timeout')
    expect(await readKind(fetch(`http://localhost:${silent.port}/`, { signal: AbortSignal.timeout(20) }))).toBe(
      'aborted',
    )
  })

  test('a closed port, an unknown name, no TLS on the port, a broken connection', async () => {
    const plain = await served((_, reply) => reply.end())
    const broken = await served((request) => request.socket.destroy())
    const closedServer = await served(() => undefined)
    await closedServer.close()
    const fetch = guarded()
    expect(await readKind(fetch(`http://localhost:${closedServer.port}/`))).toBe('refused')
    expect(await readKind(fetch('http://no-such-host.invalid/'))).toBe('dns')
    expect(await readKind(fetch(`https://localhost:${plain.port}/`))).toBe('refused')
    expect(await readKind(fetch(`http://localhost:${broken.port}/`))).toBe('connection_lost')
  })

  test('a response that is too large, compressed or not', async () => {
    const large = await served((_, reply) => reply.end(Buffer.alloc(5_000)))
    const bomb = await served((_, reply) =>
      reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
    )
    const fetch = guarded({ maxBytes: 4_000 })
    expect(await readKind(fetch(`http://localhost:${large.port}/`))).toBe('too_large')
    expect(await readKind(fetch(`http://localhost:${bomb.port}/`))).toBe('too_large')
  })

  test('an error contains no path, query or header', async () => {
    const { port } = await served((request) => request.socket.destroy())
    const error = await guarded()(`http://localhost:${port}/?k=ck_secret`, {
      headers: { authorization: 'Basic ck_secret' },
    }).catch((reason: unknown) => reason)
    expect(inspectDeep(error)).not.toContain('ck_secret')
  })
})

test('connections are kept alive and reused', async () => {
  const sockets = new Set<unknown>()
  const { port } = await served((request, reply) => {
    sockets.add(request.socket)
    reply.end()
  })
  const fetch = guarded()
  for (let round = 0; round < 6; round += 1) await fetch(`http://localhost:${port}/`)
  // The pool may open a second connection while the first is being returned.
  expect(sockets.size).toBeLessThanOrEqual(2)
})

function inspectDeep(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))} ${error.cause ? inspectDeep(error.cause) : ''}`
}
