import {
  IconBoxAlignBottom,
  IconCode,
  IconColumns2,
  IconDiscount2,
  IconHandClick,
  IconHeading,
  IconLayoutNavbar,
  IconPhoto,
  IconReceipt2,
  IconSeparator,
  IconShieldCheck,
  IconShoppingCart,
  IconSpacingVertical,
  IconTag,
  IconThumbUp,
  IconTypography,
} from '@tabler/icons-react'
import type { BlockChoice } from './choices.ts'

const icons: Readonly<Record<BlockChoice['type'] | 'footer', typeof IconTag>> = {
  heading: IconHeading,
  text: IconTypography,
  image: IconPhoto,
  items: IconShoppingCart,
  totals: IconReceipt2,
  coupon: IconDiscount2,
  button: IconHandClick,
  product: IconTag,
  trust: IconShieldCheck,
  divider: IconSeparator,
  spacer: IconSpacingVertical,
  social: IconThumbUp,
  legacy_text: IconCode,
  columns: IconColumns2,
  band: IconLayoutNavbar,
  footer: IconBoxAlignBottom,
}

export function BlockIcon({ type }: { type: keyof typeof icons }) {
  const Icon = icons[type]
  return (
    <span className="me-icon" aria-hidden>
      <Icon size={18} stroke={1.6} />
    </span>
  )
}
