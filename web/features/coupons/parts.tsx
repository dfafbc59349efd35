import { ActionIcon, CopyButton, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconCircleMinus, IconCircleOff, IconClock, IconCopy } from '@tabler/icons-react'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { DEFAULT_PLATFORM, platformNames } from '../../../shared/platforms/platforms.ts'
import { useStore } from '../../core/access/queries.ts'
import { useNow } from '../../core/ui/clock.ts'
import { formatCount } from '../../core/ui/format.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import {
  buildStateMarks,
  formatCode,
  formatDiscount,
  formatMinSpend,
  formatRemaining,
} from '../../kits/coupons/rules.ts'

// Coupon parts shared by list, cards and panel.

interface OfCoupon {
  coupon: Coupon
}

/** Opens the details. A personal coupon has no code to copy: its dots stand for each shopper's own ending. */
export const CouponCode = ({ coupon, onOpen }: OfCoupon & { onOpen: (coupon: Coupon) => void }) => (
  <div>
    <span className="coupon-code">
      <button type="button" className="plain-button" onClick={() => onOpen(coupon)}>
        {formatCode(coupon)}
      </button>
      {coupon.kind === 'shared' && <CopyCode code={coupon.code} />}
    </span>
    {coupon.kind === 'personal' && (
      <Text fz="xs" c="dimmed">
        A different code for each shopper
      </Text>
    )}
  </div>
)

const CopyCode = ({ code }: { code: string }) => (
  <CopyButton value={code}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : 'Copy'}>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Copy ${code}`} onClick={copy}>
          {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          <VisuallyHidden aria-live="polite">{copied ? 'Copied' : ''}</VisuallyHidden>
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
)

/** Decision 30: the store's own coupons are read-only here. */
export function ExternalCoupon({ coupon }: OfCoupon) {
  const store = useStore()
  if (coupon.madeBy === 'recoup') return null
  const label = 'Edit there'
  return (
    <Text fz="xs" c="dimmed">
      Created in {platformNames[store?.platform ?? DEFAULT_PLATFORM]} ·{' '}
      {coupon.editUrl ? (
        <a href={coupon.editUrl} target="_blank" rel="noreferrer">
          {label}
          <VisuallyHidden> ({coupon.code})</VisuallyHidden>
        </a>
      ) : (
        label
      )}
    </Text>
  )
}

export function DiscountText({ coupon }: OfCoupon) {
  const condition = formatMinSpend(coupon)
  return (
    <div className="coupon-discount">
      {formatDiscount(coupon)}
      {condition && (
        <Text fz="xs" c="dimmed">
          {condition}
        </Text>
      )}
    </div>
  )
}

const badges = {
  usable: { tone: 'good', icon: IconCircleCheck },
  inactive: { tone: 'quiet', icon: IconCircleMinus },
  starts: { tone: 'info', icon: IconClock },
  over: { tone: 'quiet', icon: IconCircleOff },
} as const

export function CouponState({ coupon, zone }: OfCoupon & { zone: string }) {
  const now = useNowUntil(coupon.endDate)
  return (
    <span className="coupon-state">
      {buildStateMarks(coupon, now, zone).map(({ kind, label }) =>
        kind === 'plain' ? (
          <span key={label} className="coupon-setting mark-plain">
            {label}
          </span>
        ) : (
          <StatusBadge key={label} {...badges[kind]} label={label} />
        ),
      )}
    </span>
  )
}

/** `isAlone`: there is no column heading. */
export function RemainingTime({ endDate, isAlone = false }: { endDate: string | null; isAlone?: boolean }) {
  const text = formatRemaining(endDate, useNowUntil(endDate))
  if (text === null) return 'No end'
  return <span className="tabular">{isAlone && text !== 'Expired' ? `${text} left` : text}</span>
}

const HOUR_MS = 3_600_000

/** Counts seconds in the last hour, so the state changes on time. */
function useNowUntil(endDate: string | null): number {
  const [far, near] = [15_000, 1_000]
  const remainingMs = endDate === null ? Number.POSITIVE_INFINITY : Date.parse(endDate) - Date.now()
  return useNow(remainingMs > 0 && remainingMs < HOUR_MS ? near : far)
}

/** B 2: uses / limit, ∞ without one. */
export const Usage = ({ coupon: { usageCount, usageLimit } }: OfCoupon) => (
  <span className="tabular coupon-used">
    {formatCount(usageCount)} /{' '}
    {usageLimit === null ? (
      <>
        <span aria-hidden>∞</span>
        <VisuallyHidden>no limit</VisuallyHidden>
      </>
    ) : (
      formatCount(usageLimit)
    )}
  </span>
)
