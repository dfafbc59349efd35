import { type PushPayload, pushLimits } from '../../../shared/push.ts'
import { messageToken } from '../../carts/links/message-tokens.ts'
import { cleanText } from '../../messages/templates/context.ts'
import { sharedRenders } from '../../messages/templates/renders.ts'
import { type ComposeInput, FOR_NOBODY, type LinkToken, linksOf, pageWithoutCart } from './compose.ts'
import { textContextOf } from './compose-text.ts'

// One notification from a cart: the code that sends and previews. It names nobody: who the browser's user is was said at a checkout, and
// may be somebody else (decision 72).

export interface ComposePushInput extends Omit<ComposeInput, 'brand'> {
  cartId: string | null
  /** The store's logo. */
  icon: string | null
}

export interface ComposedPush {
  payload: PushPayload
  tokens: LinkToken[]
}

/** Throws a TemplateError when the words do not become a message. */
export async function composePush(input: ComposePushInput): Promise<ComposedPush> {
  const { template, who = FOR_NOBODY, renders = sharedRenders(), cartId, icon, publicUrl, messageId } = input
  const { tokens, checkoutLink } = linksOf(input, pageWithoutCart(input))
  const context = textContextOf({ ...input, cart: { ...input.cart, firstName: null } }, checkoutLink)
  const { id, version, subject, body } = template
  const [title, text] = await Promise.all([
    renders.text(who, { id: `${id}:title`, version, subject: '-', body: subject }, context),
    renders.text(who, { id, version, subject: '-', body }, context),
  ])
  const image = pictureOf(input)
  const token = input.isTest ? null : messageToken(input.secrets, 'push', messageId)
  const payload: PushPayload = {
    title: cleanText(`${input.isTest ? '[Test] ' : ''}${title}`, pushLimits.title),
    body: cleanText(text, pushLimits.body),
    ...{ url: checkoutLink, cartId, tag: cartId ?? messageId, origin: publicUrl },
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

/** Of the first item that can still be bought; by https, where the shop itself is. */
function pictureOf({ cart, store }: ComposePushInput): string | undefined {
  const isOpen = store.homeUrl.startsWith('http://')
  const isShown = (url: string) => url.startsWith('https://') || (isOpen && url.startsWith('http://'))
  return cart.items.find(({ isGone, imageUrl }) => !isGone && imageUrl && isShown(imageUrl))?.imageUrl ?? undefined
}

/** At most 32 characters that a URL may have (RFC 8030, 5.4). */
export const topicOf = ({ tag }: PushPayload): string => tag.replaceAll('-', '').slice(0, 32)
