import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** The hash of a password nobody knows: an unknown address costs the same time as a wrong password. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$1qwS5a1tMJUyMi1z9MQThw$fUrxaOidDn/4nYH+vkFYJ9o8JxewzPRQDz14G9h/LRE'

export function hashPassword(password: string): Promise<string> {
  return hash(spelled(password), COST)
}

/** `passwordHash` undefined: takes as long, and is never right. */
export async function isRightPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await verify(passwordHash ?? NOBODY, spelled(password))
  return isRight && passwordHash !== undefined
}

/** Keyboards differ in how they compose é; the person typed the same. */
function spelled(password: string): string {
  return password.normalize('NFKC')
}
