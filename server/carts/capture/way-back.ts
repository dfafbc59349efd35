import type { StoreDb, StoreTx } from '../../core/db/db.ts'
import { type Secrets, tokenHash } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import type { AdmittedPost } from '../../core/schema/facts.ts'
import type { KnownShopper } from './capture-rules.ts'
import { knownCarts } from './capture-sql.ts'
import * as sql from './way-back-sql.ts'

// A cart restored in another browser goes on as the same cart. The link to the store carries a token, the capture script posts
// it, and as long as that browser has told no address its posts speak for the cart. Once it tells one, it is whoever has that address:
// a forwarded link never joins two people, and what the one types is never the other's.

/** As long as WooCommerce keeps a guest's cart. */
const WAY_BACK_MS = 2 * 86_400_000

interface Restored {
  cartId: string
  messageId: string | null
  /** A test message, or a member of the store: what that browser does is nobody's cart. */
  isTest: boolean
  /** What the token is made of, besides our secret. */
  subject: string
}

/** The token for the link to the store; good for two days from now. */
export async function openWayBack(deps: Deps, tx: StoreTx, restored: Restored): Promise<string> {
  const token = deps.secrets.token('back', restored.subject)
  const { cartId, messageId, isTest } = restored
  const [hash, at] = [tokenHash(token), deps.now()]
  await sql.openWayBack(tx, { hash, cartId, messageId, isTest, at, until: new Date(at.getTime() + WAY_BACK_MS) })
  if (!isTest) await sql.addCartKey(tx, cartId, cartKeyOf(deps.secrets, hash.toString('hex')))
  return token
}

/** Known to this server alone: whoever holds the token cannot post under it past the rules below. */
const cartKeyOf = (secrets: Secrets, hash: string): string => secrets.token('back-cart', hash)

/** The posts as they count: those of a browser on its way back under the cart it came for; none of a test. */
export async function alongWaysBack<Kept extends { post: AdmittedPost }>(
  deps: Deps,
  store: StoreDb,
  kept: readonly Kept[],
): Promise<Kept[]> {
  const hashes = new Map(kept.flatMap(({ post: { back } }) => (back ? [[back, tokenHash(back)] as const] : [])))
  if (hashes.size === 0) return [...kept]
  const ways = new Map((await sql.waysBack(store, [...hashes.values()], deps.now())).map((way) => [way.hash, way]))
  if (ways.size === 0) return [...kept]
  const posts = kept.map(({ post }) => post)
  const known = await knownCarts(store, posts)
  const named = new Set(posts.filter((_, place) => isNamed(known.get(place))).map(({ cart }) => cart))
  return kept.flatMap((each) => {
    const { post } = each
    if (post.contact || post.consent) named.add(post.cart)
    const way = post.back ? ways.get(hashes.get(post.back)!.toString('hex')) : undefined
    if (!way) return [each]
    if (named.has(post.cart)) return [{ ...each, post: matched(deps.secrets, post, way) }]
    return way.isTest
      ? []
      : [
          {
            ...each,
            post: { ...matched(deps.secrets, post, way), cart: cartKeyOf(deps.secrets, way.hash), isBack: true },
          },
        ]
  })
}

/** Whose name, address or consent is known is that person, wherever the link led from. */
const isNamed = (known: KnownShopper | undefined) => known !== undefined && Object.keys(known.contact).length > 0

/** Without a device's token, a purchase in this browser would not stop the messages about the cart it came for. */
function matched(secrets: Secrets, post: AdmittedPost, { hash }: sql.WayBack): AdmittedPost {
  return post.device ? post : { ...post, device: secrets.token('back-device', hash) }
}
