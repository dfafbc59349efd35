import { type PushPayload, pushLimits } from '../../../shared/delivery/push.ts'
import { createToken } from '../../carts/links/public.ts'
import { cleanText, getSharedRenders } from '../../messages/templates/public.ts'
import { type ComposeInput, createLinks, type LinkToken, NO_ACCOUNT, pageWithoutCart } from './compose.ts'
import { buildTextContext } from './compose-text.ts'

// Composes one web push notification, for sends and previews. It contains no name: the name came from a checkout, and
// another person may use the browser (decision 72).

export interface ComposePushInput extends Omit<ComposeInput, 'brand'> {
  cartId: string | null
  /** The store's logo. */
  icon: string | null
}

export interface ComposedPush {
  payload: PushPayload
  tokens: LinkToken[]
}

/** Throws a TemplateError if the text cannot be rendered. */
export async function composePush(input: ComposePushInput): Promise<ComposedPush> {
  const { template, who = NO_ACCOUNT, renders = getSharedRenders(), cartId, icon, publicUrl, messageId } = input
  const { tokens, checkoutLink } = createLinks(input, pageWithoutCart(input))
  const context = buildTextContext({ ...input, cart: { ...input.cart, firstName: null } }, checkoutLink)
  const { id, version, subject, body } = template
  const [title, text] = await Promise.all([
    renders.text(who, { id: `${id}:title`, version, subject: '-', body: subject, design: null }, context),
    renders.text(who, { id, version, subject: '-', body, design: null }, context),
  ])
  const image = findImage(input)
  const token = input.isTest ? null : createToken(input.secrets, 'push', messageId)
  const payload: PushPayload = {
    title: cleanText(`${input.isTest ? '[Test] ' : ''}${title}`, pushLimits.title),
    body: cleanText(text, pushLimits.body),
    url: checkoutLink,
    cartId,
    tag: cartId ?? messageId,
    origin: publicUrl,
    ...(icon && { icon }),
    ...(image && { image }),
    actions: [
      { action: 'open', title: cartId === null ? 'Open the shop' : 'View cart' },
      ...(token ? [{ action: 'stop' as const, title: 'Stop these' }] : []),
    ],
    ...(token && { token }),
  }
  return { payload, tokens }
}

/** The image of the first available item; https only, unless the shop itself uses http. */
function findImage({ cart, store }: ComposePushInput): string | undefined {
  const isOpen = store.homeUrl.startsWith('http://')
  const isLoadable = (url: string) => url.startsWith('https://') || (isOpen && url.startsWith('http://'))
  return cart.items.find(({ isGone, imageUrl }) => !isGone && imageUrl && isLoadable(imageUrl))?.imageUrl ?? undefined
}

/** The push topic: at most 32 URL-safe characters (RFC 8030, 5.4). */
export const toTopic = ({ tag }: PushPayload): string => tag.replaceAll('-', '').slice(0, 32)
