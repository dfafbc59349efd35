import { Anchor, Input, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { type CouponList, useCoupons, useCouponsToChoose } from '../coupons/queries.ts'
import { formatCoupon, isUsable } from '../coupons/rules.ts'
import type { CouponEdit } from './step-coupon.ts'

interface Props {
  step: CouponEdit
  error: string | undefined
  isReadOnly: boolean
  onChoose: (coupon: Coupon | null) => void
}

const PAUSE_MS = 400
const MINUTE_MS = 60_000
const LONGEST_CODE = 60

/** Chooses one of the usable coupons of the store, or none. A chosen coupon stays listed after it becomes unusable. */
export function CouponField({ step, ...props }: Props) {
  const [typed, setTyped] = useState('')
  const { couponShown } = step
  const shownLabel = couponShown ? formatCoupon(couponShown) : NO_COUPON
  // The label of the chosen coupon is not a search.
  const [search] = useDebouncedValue(typed === shownLabel ? '' : typed.trim().slice(0, LONGEST_CODE), PAUSE_MS)
  const coupons = useCouponsToChoose(search)
  const now = useNow(MINUTE_MS)
  if (!coupons.data) {
    return (
      <Input.Wrapper label="Coupon" labelElement="div">
        {coupons.error ? (
          <Failed title="The coupons could not be loaded" error={coupons.error} onRetry={() => coupons.refetch()} />
        ) : (
          <LoadingList count={1} />
        )}
      </Input.Wrapper>
    )
  }
  const usable = coupons.data.coupons.filter((coupon) => isUsable(coupon, now))
  if (usable.length === 0 && search === '' && !step.coupon) {
    return <NoCoupons />
  }
  return <Choice {...props} step={step} usable={usable} list={coupons.data} typed={typed} onType={setTyped} />
}

const NO_COUPON = 'No coupon'
/** Not an id of a coupon. */
const NONE = 'none'

interface ChoiceProps extends Props {
  usable: readonly Coupon[]
  list: CouponList
  typed: string
  onType: (text: string) => void
}

function Choice({ step, usable, list, error, isReadOnly, typed, onType, onChoose }: ChoiceProps) {
  const { coupon, couponShown } = step
  const options = new Map([[NONE, NO_COUPON]])
  if (coupon) options.set(coupon.couponId, couponShown ? formatCoupon(couponShown) : 'A deleted coupon')
  for (const each of usable) options.set(each._id, formatCoupon(each))
  const choose = (id: string) => {
    const chosen = usable.find(({ _id }) => _id === id)
    if (chosen || id === NONE) onChoose(chosen ?? null)
  }
  return (
    <Select
      label="Coupon"
      description={
        list.pagination.pages > 1 ? 'These are the newest. Type the beginning of a code to find others.' : undefined
      }
      searchable={!isReadOnly}
      readOnly={isReadOnly}
      allowDeselect={false}
      searchValue={typed}
      onSearchChange={onType}
      filter={({ options: all }) => all}
      nothingFoundMessage="No usable coupon begins with this."
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={coupon?.couponId ?? NONE}
      error={error}
      onChange={(id) => id && choose(id)}
    />
  )
}

function NoCoupons() {
  const all = useCoupons({ page: 1, limit: 1 })
  return (
    <Input.Wrapper label="Coupon" labelElement="div">
      {all.isPending ? <LoadingList count={1} /> : <NothingUsable hasAny={all.data?.pagination.total !== 0} />}
    </Input.Wrapper>
  )
}

const NothingUsable = ({ hasAny }: { hasAny: boolean }) => (
  <Text fz="sm" c="dimmed">
    {hasAny ? 'None of your coupons can be used now.' : 'No coupons yet.'}{' '}
    <Anchor component={Link} to="/coupons?form=new" inherit underline="always">
      Create a coupon
    </Anchor>
  </Text>
)
