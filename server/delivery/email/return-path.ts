import { isSameSecret, type Secrets } from '../../core/common/public.ts'

// The envelope sender of each mail contains its message id (VERP), so that a bounce is identified by its recipient
// address. The token is keyed, so it cannot be forged (X1). It uses lower case letters and digits only, because some
// servers change the case. Pure.

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const ID_BYTES = 16
const MAC_BYTES = 10
const TOKEN_LENGTH = 42

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns `bounces+<token>@mail.example` for `bounces@mail.example` and a message id. null: not an id of ours. */
export function buildReturnPath(secrets: Secrets, bounceAddress: string, messageId: string): string | null {
  if (!UUID.test(messageId)) return null
  const at = bounceAddress.lastIndexOf('@')
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  const token = encode(Buffer.concat([id, computeMac(secrets, messageId)]))
  return `${bounceAddress.slice(0, at)}+${token}${bounceAddress.slice(at)}`
}

/** Returns the message id of a return address; null: not created here. */
export function parseReturnPath(secrets: Secrets, bounceAddress: string, address: string): string | null {
  const [own, passed] = [bounceAddress, address].map((each) => each.toLowerCase())
  const at = own!.lastIndexOf('@')
  const [start, end] = [`${own!.slice(0, at)}+`, own!.slice(at)]
  if (!passed!.startsWith(start) || !passed!.endsWith(end)) return null
  const bytes = decode(passed!.slice(start.length, -end.length))
  if (!bytes) return null
  const hex = bytes.subarray(0, ID_BYTES).toString('hex')
  const messageId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return isSameSecret(bytes.subarray(ID_BYTES), computeMac(secrets, messageId)) ? messageId : null
}

const computeMac = (secrets: Secrets, messageId: string): Buffer =>
  Buffer.from(secrets.token('bounce', messageId.toLowerCase()), 'base64url').subarray(0, MAC_BYTES)

function encode(bytes: Buffer): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  bits <<= BigInt(TOKEN_LENGTH * 5 - bytes.length * 8)
  let text = ''
  for (let at = TOKEN_LENGTH - 1; at >= 0; at -= 1) text += ALPHABET[Number((bits >> BigInt(at * 5)) & 31n)]
  return text
}

function decode(text: string): Buffer | null {
  if (text.length !== TOKEN_LENGTH) return null
  let bits = 0n
  for (const letter of text) {
    const value = ALPHABET.indexOf(letter)
    if (value < 0) return null
    bits = (bits << 5n) | BigInt(value)
  }
  const spare = BigInt(TOKEN_LENGTH * 5 - (ID_BYTES + MAC_BYTES) * 8)
  // Unused bits must be 0, so that each address has one spelling.
  if ((bits & ((1n << spare) - 1n)) !== 0n) return null
  return Buffer.from((bits >> spare).toString(16).padStart((ID_BYTES + MAC_BYTES) * 2, '0'), 'hex')
}
