import crypto from 'node:crypto'

// RFC 8292: identifies the sender by a signed token.

export type Vapid = { publicKey: string } | { problem: string }

const DAY_S = 86_400

export function readVapid(header: string | undefined, { audience, now }: { audience: string; now: number }): Vapid {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (!signature) return { problem: 'no vapid token (RFC 8292, 3)' }
  const point = Buffer.from(publicKey, 'base64url')
  if (point.length !== 65 || point[0] !== 4) return { problem: 'the key is no uncompressed point on P-256 (3.2)' }
  if (read(head).alg !== 'ES256') return { problem: 'not ES256 (2)' }
  const key = crypto.createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) },
  })
  const signed = Buffer.from(`${head}.${claims}`)
  const isSigned = crypto.verify(
    'sha256',
    signed,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return { problem: 'the signature is not that key’s (4.2)' }
  const { aud, exp, sub } = read(claims)
  if (aud !== audience) return { problem: 'the audience is another service (2)' }
  if (typeof exp !== 'number' || exp * 1_000 <= now || exp * 1_000 > now + DAY_S * 1_000) {
    return { problem: 'expired, or valid for more than a day (2)' }
  }
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub)) return { problem: 'no contact (2.1)' }
  return { publicKey }
}

const read = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
