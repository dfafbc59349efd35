import { Button, VisuallyHidden } from '@mantine/core'
import { IconCloudOff, IconFilterOff, IconTicket } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Coupon } from '../../shared/coupons.ts'
import { Empty } from '../ui/Empty.tsx'
import { formatCounted } from '../ui/format.ts'
import { LoadingRows } from '../ui/Loading.tsx'
import { Pager } from '../ui/Pager.tsx'
import { toKnownZone } from '../ui/zone.ts'
import { CouponPanel } from './CouponPanel.tsx'
import { CouponsTable } from './CouponsTable.tsx'
import { DeleteCoupon } from './DeleteCoupon.tsx'
import type { CouponQuery, CouponList as Listed, useCoupons } from './queries.ts'

interface Props {
  query: CouponQuery
  coupons: ReturnType<typeof useCoupons>
  mayWrite: boolean
  openCoupon: string | null
  /** Shown while there are no coupons. */
  quickCreate: ReactNode
  onOpen: (id: string | null) => void
  onEdit: (id: string) => void
  onChange: (next: Partial<CouponQuery>) => void
  onProblem: (problem: string | null) => void
}

export function CouponList({ coupons, ...props }: Props) {
  const { data } = coupons
  if (data) return <Page {...props} data={data} isStale={coupons.isPlaceholderData} />
  if (!coupons.error) return <LoadingRows />
  return (
    <Empty icon={IconCloudOff} text="The coupons could not be loaded.">
      <Button variant="default" size="sm" loading={coupons.isFetching} onClick={() => coupons.refetch()}>
        Retry
      </Button>
    </Empty>
  )
}

interface PageProps extends Omit<Props, 'coupons'> {
  data: Listed
  /** The requested page is still loading. */
  isStale: boolean
}

function Page({ data, isStale, query, ...props }: PageProps) {
  const { onOpen, onChange, onProblem } = props
  const [asked, setAsked] = useState<Coupon | null>(null)
  const { coupons, pagination } = data
  const zone = toKnownZone(data.timeZone)
  return (
    <div aria-busy={isStale}>
      {coupons.length === 0 ? (
        <Nothing query={query} quickCreate={props.quickCreate} onChange={onChange} />
      ) : (
        <>
          <VisuallyHidden role="status">{formatCounted(pagination.total, 'coupon')}</VisuallyHidden>
          <CouponsTable
            coupons={coupons}
            zone={zone}
            mayWrite={props.mayWrite}
            onOpen={({ _id }) => onOpen(_id)}
            onEdit={({ _id }) => props.onEdit(_id)}
            onDelete={setAsked}
          />
        </>
      )}
      <Pager
        {...pagination}
        limit={query.limit}
        requestedPage={query.page}
        onPage={(page) => onChange({ page })}
        onLimit={(limit) => onChange({ limit })}
      />
      <CouponPanel
        coupon={coupons.find(({ _id }) => _id === props.openCoupon)}
        zone={zone}
        onClose={() => onOpen(null)}
      />
      <DeleteCoupon coupon={asked} onClose={() => setAsked(null)} onProblem={onProblem} />
    </div>
  )
}

function Nothing({ query, quickCreate, onChange }: Pick<Props, 'query' | 'quickCreate' | 'onChange'>) {
  if (query.page > 1) {
    return (
      <Empty icon={IconTicket} text="This page has no coupons.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  if (query.search) {
    return (
      <Empty icon={IconFilterOff} text={`No coupon code begins with “${query.search}”.`}>
        <Button variant="default" size="sm" onClick={() => onChange({ search: '' })}>
          Clear the search
        </Button>
      </Empty>
    )
  }
  return (
    <Empty
      icon={IconTicket}
      title="No coupons yet"
      text="A coupon is a code that takes something off at your store’s checkout, until it ends. Your messages can offer it to shoppers who left a cart. Coupons of your store are listed here too."
    >
      {quickCreate}
    </Empty>
  )
}
