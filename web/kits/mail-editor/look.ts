import { removeLogoAlt } from '../../../shared/messages/brand.ts'
import { compilePart, type MailPart } from '../../../shared/messages/mail-compile.ts'
import type { ThemeName } from '../../../shared/messages/mail-document.ts'
import { fill } from '../../../shared/messages/mail-fill.ts'
import { findMailStyles } from '../../../shared/messages/mail-styles.ts'
import { findMailTheme, type MailBrandKit, type MailTheme } from '../../../shared/messages/mail-theme.ts'
import type { MailValues } from '../../../shared/messages/mail-values.ts'
import type { BrandView } from '../../../shared/workspace/brand-calls.ts'
import { resolveColorScheme } from '../../core/ui/mail.ts'
import { SAMPLE_COUPON } from './sample-carts.ts'

// How the mail looks while it is edited: brand kit, theme and the values of the chosen cart.

export interface Look {
  kit: MailBrandKit
  theme: MailTheme
  /** The full tag. */
  language: string
  values: MailValues
}

export function createLook(kit: MailBrandKit, theme: ThemeName, language: string, values: MailValues): Look {
  return { kit, theme: findMailTheme(kit, theme), language, values }
}

export function toMailKit({ look, logo }: Pick<BrandView, 'look' | 'logo'>, origin: string): MailBrandKit {
  const { path, ...size } = logo ?? {}
  return {
    ...removeLogoAlt(look),
    logo:
      path === undefined
        ? null
        : { ...(size as { width: number; height: number }), url: origin + path, alt: look.logoAlt },
  }
}

/** A part of the mail with the bytes that sending gives it. A coupon is shown with a sample where the cart has none. */
export function renderPart(part: MailPart, { kit, theme, language, values }: Look, isPromiseShown = true): string {
  const compiled = compilePart(part, kit, theme.name, language)
  const html = isPromiseShown
    ? compiled.html
    : compiled.html.filter((each) => typeof each === 'string' || each.kind !== 'promise')
  const needsCoupon = part.kind === 'block' && part.block.type === 'coupon' && values.coupon === null
  return fill({ ...compiled, html }, needsCoupon ? { ...values, coupon: SAMPLE_COUPON } : values).html
}

/** The head's styles of the mail in light colours. */
export const renderStyles = ({ theme }: Look): string => resolveColorScheme(findMailStyles(theme), 'light')

/** The current look, for parts of the editor that React does not draw. */
export class LookSource {
  #look: Look
  #listeners = new Set<() => void>()

  constructor(look: Look) {
    this.#look = look
  }

  get current(): Look {
    return this.#look
  }

  set(look: Look): void {
    this.#look = look
    this.announce()
  }

  announce(): void {
    for (const listen of this.#listeners) listen()
  }

  subscribe(listen: () => void): () => void {
    this.#listeners.add(listen)
    return () => void this.#listeners.delete(listen)
  }
}
