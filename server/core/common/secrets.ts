import crypto from 'node:crypto'

// Everything derived from APP_SECRET: one key per purpose, so that no value works for another purpose (X1, Y5).

export interface Secrets {
  /** AES-256-GCM. `context` (purpose and owner) is authenticated, so an encrypted value cannot be moved elsewhere. */
  seal(plain: string, context: string): Buffer
  open(encrypted: Buffer, context: string): string
  /** 256-bit token for one purpose and subject, base64url; the same input gives the same token. */
  token(purpose: string, subject: string): string
  /** Keyed hash of an address: matches without storing the address (C1, C8). */
  addressHash(address: string): Buffer
}

export function createSecrets(appSecret: string): Secrets {
  const key = (purpose: string) => Buffer.from(crypto.hkdfSync('sha256', appSecret, '', `recoup:${purpose}`, 32))
  const sealing = key('seal')
  // Node prepares a key given as bytes again for every HMAC.
  const tokens = crypto.createSecretKey(key('token'))
  const addresses = crypto.createSecretKey(key('address'))
  return {
    seal(plain, context) {
      const iv = crypto.randomBytes(12)
      const cipher = crypto.createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body])
    },
    open(encrypted, context) {
      const decipher = crypto.createDecipheriv('aes-256-gcm', sealing, encrypted.subarray(0, 12))
      decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(12, 28))
      return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()]).toString('utf8')
    },
    token: (purpose, subject) =>
      crypto.createHmac('sha256', tokens).update(`${purpose}\0${subject}`).digest('base64url'),
    addressHash: (address) => crypto.createHmac('sha256', addresses).update(address).digest(),
  }
}

/** Compares secrets in constant time. Compares hashes, because timingSafeEqual throws at unequal byte lengths. */
export function isSameSecret(candidate: string | Buffer, secret: string | Buffer): boolean {
  return crypto.timingSafeEqual(crypto.hash('sha256', candidate, 'buffer'), crypto.hash('sha256', secret, 'buffer'))
}

/** 256 random bits, base64url. */
export const createToken = (): string => crypto.randomBytes(32).toString('base64url')

/** The stored form of a token. Tokens are random, so a plain hash is enough. */
export const hashToken = (token: string): Buffer => crypto.hash('sha256', token, 'buffer')
