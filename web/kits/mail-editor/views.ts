import type { NodeViewRenderer, NodeViewRendererProps } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { SHARES } from '../../../shared/messages/mail-compile.ts'
import type { Background, Leaf, MailDocument, Show, ValueName } from '../../../shared/messages/mail-document.ts'
import { blockFromEditor, blockType } from './convert.ts'
import { blockNames, showLabels, valueLabels } from './fields.ts'
import { type LookSource, renderPart, renderStyles } from './look.ts'

// Draws what is not typed in place: data blocks, bands, footer and values.

const create = (tag: string, attributes: Record<string, string>): HTMLElement => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/** The mail's HTML in a tree of its own, which the app's styles do not reach. Nothing in it can be pressed. */
function createStage(): { host: HTMLElement; draw: (styles: string, html: string) => void } {
  const host = create('div', { contenteditable: 'false', inert: '' })
  const root = host.attachShadow({ mode: 'open' })
  let shown = ''
  const draw = (styles: string, html: string) => {
    const next = `<style>${styles}img{max-width:100%}</style>${html}`
    if (next === shown) return
    shown = next
    root.innerHTML = next
  }
  return { host, draw }
}

export const createDataView =
  (look: LookSource): NodeViewRenderer =>
  ({ node, editor }: NodeViewRendererProps) => {
    let current = node
    const type = blockType(node.type.name)
    const dom = create('div', { class: 'me-block', 'data-block': type, role: 'group' })
    const stage = createStage()
    dom.append(stage.host)
    const draw = () => {
      if (!dom.isConnected) return
      const block = blockFromEditor(current.toJSON()) as Leaf
      dom.setAttribute('aria-label', describeBlock(blockNames[type], block.show))
      dom.dataset.show = block.show
      const background = (dom.closest<HTMLElement>('[data-background]')?.dataset.background ?? 'card') as Background
      const isFirstButton = editor.view.dom.querySelector('[data-block=button]') === dom
      const html = isEmpty(block)
        ? ''
        : renderPart({ kind: 'block', block, background, ...findShare(dom) }, look.current, isFirstButton)
      stage.draw(
        renderStyles(look.current),
        html ? `<div class="bg-${background}">${html}</div>` : describeEmpty(block),
      )
    }
    const unsubscribe = look.subscribe(draw)
    // The element is in the page only after the editor has placed it.
    queueMicrotask(draw)
    return {
      dom,
      update(next) {
        if (next.type !== current.type) return false
        current = next
        queueMicrotask(draw)
        return true
      },
      ignoreMutation: () => true,
      destroy: unsubscribe,
    }
  }

export const describeBlock = (name: string, show: Show): string =>
  show === 'always' ? name : `${name}, ${showLabels[show].toLowerCase()}`

/** Its own share of the width, in a column. */
function findShare(dom: HTMLElement): { share?: number } {
  const column = dom.closest<HTMLElement>('[data-mail=column]')
  const columns = column?.closest<HTMLElement>('[data-mail=columns]')
  if (!column || !columns) return {}
  const split = columns.dataset.split as keyof typeof SHARES
  return { share: SHARES[split]?.[[...columns.children].indexOf(column)] ?? 0.5 }
}

const isEmpty = (block: Leaf): boolean =>
  block.type === 'legacy_text' ||
  (block.type === 'image' && block.asset === '') ||
  (block.type === 'product' && block.productId === '')

const emptyTexts: Partial<Record<Leaf['type'], string>> = {
  image: 'Choose a picture',
  product: 'Choose a product',
  social: 'Your brand has no social links yet',
  trust: 'Write up to three promises. Mails leave this out while it is empty.',
  items: 'This cart has no such items',
  totals: 'This cart has no total',
  coupon: 'This cart has no coupon',
}

const QUOTED = 400

function describeEmpty(block: Leaf): string {
  const note = create('div', {
    style:
      'padding:22px 16px;margin:4px 0 16px;border:1px dashed currentColor;border-radius:8px;font:500 14px/1.5 system-ui,sans-serif;text-align:center;opacity:0.75',
  })
  if (block.type === 'legacy_text') {
    note.style.cssText += ';text-align:start;white-space:pre-wrap;font-family:ui-monospace,monospace;font-size:13px'
    note.textContent = block.source.slice(0, QUOTED) + (block.source.length > QUOTED ? ' …' : '')
  } else note.textContent = emptyTexts[block.type] ?? blockNames[block.type]
  return note.outerHTML
}

export const createBandView =
  (look: LookSource): NodeViewRenderer =>
  ({ node }: NodeViewRendererProps) => {
    const dom = create('section', { class: 'me-band' })
    const draw = ({ attrs }: Node) => {
      dom.dataset.background = attrs.background
      dom.dataset.show = attrs.show
      const ground = look.current.theme.grounds[attrs.background as Background]
      const colors = { background: ground.background, text: ground.text, muted: ground.muted, link: ground.link }
      for (const [name, color] of Object.entries(colors)) dom.style.setProperty(`--me-${name}`, color)
    }
    let current = node
    draw(node)
    const unsubscribe = look.subscribe(() => draw(current))
    return {
      dom,
      contentDOM: dom,
      update(next) {
        if (next.type !== current.type) return false
        const isRecoloured = next.attrs.background !== current.attrs.background
        current = next
        draw(next)
        // Its blocks have the colours of the band.
        if (isRecoloured) queueMicrotask(() => look.announce())
        return true
      },
      ignoreMutation: (mutation) => mutation.type === 'attributes' && mutation.target === dom,
      destroy: unsubscribe,
    }
  }

export const createFooterView =
  (look: LookSource): NodeViewRenderer =>
  ({ node }: NodeViewRendererProps) => {
    let current = node
    const label = 'Footer, in every email'
    const dom = create('div', {
      class: 'me-block me-footer',
      'data-block': 'footer',
      role: 'group',
      'aria-label': label,
    })
    const stage = createStage()
    dom.append(stage.host)
    const draw = () => {
      const footer = current.attrs as MailDocument['footer']
      stage.draw(renderStyles(look.current), wrapRow(renderPart({ kind: 'footer', footer }, look.current)))
    }
    draw()
    const unsubscribe = look.subscribe(draw)
    return {
      dom,
      update(next) {
        if (next.type !== current.type) return false
        current = next
        draw()
        return true
      },
      ignoreMutation: () => true,
      destroy: unsubscribe,
    }
  }

/** A row of the mail's table by itself. */
const wrapRow = (row: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%" style="table-layout:fixed;width:100%">${row}</table>`

export function drawLogo(host: HTMLElement, look: LookSource): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const draw = () => {
    root.innerHTML = `<style>${renderStyles(look.current)}</style>${wrapRow(renderPart({ kind: 'logo' }, look.current))}`
  }
  draw()
  return look.subscribe(draw)
}

export const createChipView =
  (look: LookSource): NodeViewRenderer =>
  ({ node }: NodeViewRendererProps) => {
    let current = node
    const dom = create('span', { class: 'me-chip', role: 'img', contenteditable: 'false' })
    const draw = () => {
      const { name, fallback } = current.attrs as { name: ValueName; fallback: string | null }
      const { label, hint } = valueLabels[name]
      dom.setAttribute('aria-label', `Value: ${label}`)
      dom.title = fallback ? `${hint}; “${fallback}” if unknown` : hint
      dom.textContent = showValue(name, look) || fallback || label
    }
    draw()
    const unsubscribe = look.subscribe(draw)
    return {
      dom,
      update(next) {
        if (next.type !== current.type) return false
        current = next
        draw()
        return true
      },
      ignoreMutation: () => true,
      destroy: unsubscribe,
    }
  }

/** The value for the chosen cart. Empty: it has none. */
function showValue(name: ValueName, { current: { values } }: LookSource): string {
  const { coupon } = values
  const shown: Partial<Record<ValueName, string | null | undefined>> = {
    customer_name: values.customerName,
    cart_total: values.cartTotal,
    discounted_total: coupon?.total ?? values.cartTotal,
    store_name: values.storeName,
    coupon_code: coupon?.code,
    coupon_amount: coupon?.amount,
    coupon_offer: coupon?.offer,
    coupon_minimum: coupon?.minimum,
    coupon_expires: coupon?.expires,
    coupon_saving: coupon?.saving,
  }
  return shown[name] ?? ''
}
