import { Anchor, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'react-router'
import { useNow } from '../../core/ui/clock.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useCouponsToChoose } from '../../kits/coupons/queries.ts'
import { formatCoupon, isUsable } from '../../kits/coupons/rules.ts'

interface Props {
  value: string | null
  error: string | null
  onChange: (couponId: string | null) => void
}

const PAUSE_MS = 400
const MINUTE_MS = 60_000

/** Picks a coupon that can be sent now; without any, links to creating one. */
export function CouponField({ value, error, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const [known, setKnown] = useState(new Map<string, string>())
  const labels = [...known.values()]
  // The selected coupon's label is not a search text.
  const [search] = useDebouncedValue(labels.includes(typed) ? '' : typed.trim().slice(0, 60), PAUSE_MS)
  const coupons = useCouponsToChoose(search)
  const now = useNow(MINUTE_MS)
  if (!coupons.data) {
    if (!coupons.error) return <LoadingList count={1} />
    return <Failed title="The coupons could not be loaded" error={coupons.error} onRetry={() => coupons.refetch()} />
  }
  const usable = coupons.data.coupons.filter((coupon) => isUsable(coupon, now))
  if (usable.length === 0 && search === '' && value === null) return <NoCoupon />
  const options = new Map(usable.map((coupon) => [coupon._id, formatCoupon(coupon)]))
  if (value && !options.has(value) && known.has(value)) options.set(value, known.get(value)!)
  return (
    <Select
      label="Coupon"
      placeholder="Choose a coupon"
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage="No usable coupon begins with this."
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value}
      error={error}
      onChange={(id) => {
        if (id) setKnown(new Map(known).set(id, options.get(id) ?? ''))
        onChange(id)
      }}
    />
  )
}

const NoCoupon = () => (
  <Notice tone="info" title="No usable coupon">
    <Text fz="sm">
      A coupon must be active and within its dates.{' '}
      <Anchor component={Link} to="/coupons?form=new" inherit underline="always">
        Create a coupon
      </Anchor>
    </Text>
  </Notice>
)
