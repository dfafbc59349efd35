import { hashToken, type Secrets } from '../../core/common/public.ts'
import type { StoreDb, StoreTx } from '../../core/db/public.ts'
import type { ReceivedPost } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './back-link-sql.ts'
import type { KnownShopper } from './capture-rules.ts'
import { selectKnownCarts } from './capture-sql.ts'

// Lets a cart that was restored in another browser continue as the same cart. The link to the store has a token, which
// the capture script posts. Until that browser reports an address, its posts count for the cart. Afterwards they belong
// to the shopper with that address: a forwarded link never merges two people.

/** WooCommerce keeps a guest's cart this long. */
const BACK_LINK_MS = 2 * 86_400_000

interface RestoredCart {
  cartId: string
  messageId: string | null
  /** Restored from a test message or by a member of the store, so the browser's posts are not a shopper's cart. */
  isTest: boolean
  /** Subject of the token, combined with our secret. */
  subject: string
}

/** Creates the token for the link to the store, valid for two days. */
export async function createBackLink(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  restored: RestoredCart,
): Promise<string> {
  const token = deps.secrets.token('back', restored.subject)
  const { cartId, messageId, isTest } = restored
  const [hash, at] = [hashToken(token), deps.now()]
  await sql.createBackLink(tx, { hash, cartId, messageId, isTest, at, until: new Date(at.getTime() + BACK_LINK_MS) })
  if (!isTest) await sql.addCartKey(tx, cartId, buildCartKey(deps.secrets, hash.toString('hex')))
  return token
}

/** Known to this server only, so that a visitor with the token cannot post with this key directly. */
const buildCartKey = (secrets: Secrets, hash: string): string => secrets.token('back-cart', hash)

/** Assigns posts to the carts that their browsers came back for. Drops those of test messages. */
export async function redirectPosts<Kept extends { post: ReceivedPost }>(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb,
  inboxPosts: readonly Kept[],
): Promise<Kept[]> {
  const hashes = new Map(inboxPosts.flatMap(({ post: { back } }) => (back ? [[back, hashToken(back)] as const] : [])))
  if (hashes.size === 0) return [...inboxPosts]
  const links = new Map(
    (await sql.selectBackLinks(store, [...hashes.values()], deps.now())).map((link) => [link.hash, link]),
  )
  if (links.size === 0) return [...inboxPosts]
  const posts = inboxPosts.map(({ post }) => post)
  const known = await selectKnownCarts(store, posts)
  const named = new Set(posts.filter((_, place) => isNamed(known.get(place))).map(({ cart }) => cart))
  return inboxPosts.flatMap((each) => {
    const { post } = each
    if (post.contact || post.consent) named.add(post.cart)
    const link = post.back ? links.get(hashes.get(post.back)!.toString('hex')) : undefined
    if (!link) return [each]
    if (named.has(post.cart)) return [{ ...each, post: addDevice(deps.secrets, post, link) }]
    return link.isTest
      ? []
      : [
          {
            ...each,
            post: { ...addDevice(deps.secrets, post, link), cart: buildCartKey(deps.secrets, link.hash), isBack: true },
          },
        ]
  })
}

/** A shopper with a name, address or consent is known, regardless of the link they used. */
const isNamed = (known: KnownShopper | undefined) => known !== undefined && Object.keys(known.contact).length > 0

/** Adds a device id, so that a purchase in this browser stops messages about the restored cart. */
function addDevice(secrets: Secrets, post: ReceivedPost, { hash }: sql.BackLink): ReceivedPost {
  return post.device ? post : { ...post, device: secrets.token('back-device', hash) }
}
