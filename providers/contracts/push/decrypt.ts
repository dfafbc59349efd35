import crypto from 'node:crypto'

// Decrypts as a receiver: RFC 8291, section 3.4, and the aes128gcm encoding of RFC 8188. It is written from the RFCs
// with node:crypto alone, so that it checks the library that encrypts.

export interface ReceiverKeys {
  keys: crypto.ECDH
  auth: Buffer
}

export function decrypt(body: Buffer, { keys, auth }: ReceiverKeys): Buffer {
  // RFC 8188, 2.1: a salt of 16 bytes, the record size in 4, the key id's length in 1, and the key id: the sender’s
  // public key.
  const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)]
  const sender = body.subarray(21, 21 + length)
  const record = body.subarray(21 + length)
  if (length !== 65 || sender[0] !== 4) throw new Error('the sender’s key is no uncompressed point on P-256')
  if (record.length > size) throw new Error('more than one record')
  const shared = keys.computeSecret(sender)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender])
  const secret = hkdf(shared, auth, info, 32)
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = crypto.createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  // RFC 8188, 2: the last record ends with the delimiter 2 and zero padding.
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the last record')
  return padded.subarray(0, end)
}

const hkdf = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(crypto.hkdfSync('sha256', secret, salt, info, length))
