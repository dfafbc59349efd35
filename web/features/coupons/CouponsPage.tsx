import { UnreachedShop } from './UnreachedShop.tsx'
import './coupons.css'
import { Button, Card, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconCloudOff, IconFilterOff, IconPlus, IconTicket } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { getErrorText } from '../../core/api/api.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { ErrorBanner } from '../../core/ui/ErrorBanner.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useListQuery } from '../../core/ui/useListQuery.ts'
import { toKnownZone } from '../../core/ui/zone.ts'
import type { CouponList as Listed } from '../../kits/coupons/queries.ts'
import { type CouponQuery, useCoupons } from '../../kits/coupons/queries.ts'
import { couponsAddress } from '../../kits/coupons/rules.ts'
import { SendDiscountButton } from '../discount-mail/SendDiscountButton.tsx'
import { CouponDialog, NEW } from './CouponDialog.tsx'
import { CouponPanel } from './CouponPanel.tsx'
import { CouponsTable } from './CouponsTable.tsx'
import { type CreatedCoupon, CreatedNotice } from './CreatedNotice.tsx'
import { DeleteCoupon } from './DeleteCoupon.tsx'
import { QuickCreate } from './QuickCreate.tsx'
import { ReadOnlyKey } from './ReadOnlyKey.tsx'

export function CouponsPage() {
  const { query, change, put, param } = useListQuery(couponsAddress)
  const coupons = useCoupons(query)
  const role = useHasPermission('coupons:write')
  const [problem, setProblem] = useState<string | null>(null)
  const [created, setCreated] = useState<CreatedCoupon | null>(null)
  const mayWrite = role && coupons.data?.canWrite === true
  const openForm = useOpenForm(param('form'), mayWrite)
  const isDone = (coupon: CreatedCoupon) => {
    setProblem(null)
    setCreated(coupon)
  }
  const quickCreate = mayWrite && <QuickCreate onCreated={isDone} onProblem={setProblem} />
  return (
    <>
      <PageTitle title="Coupons" text="Create and manage time-limited coupons for your customers">
        <SendDiscountButton place="coupons" label="Send Discount Mail" />
        {mayWrite && (
          <>
            {quickCreate}
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => put('form', NEW)}>
              Create coupon
            </Button>
          </>
        )}
      </PageTitle>
      <Stack gap="md">
        {problem && problem !== couponTexts.readOnlyKey && (
          <ErrorBanner onDismiss={() => setProblem(null)}>{problem}</ErrorBanner>
        )}
        <ReadFailure coupons={coupons} />
        <UnreachedShop />
        {role && coupons.data?.canWrite === false && <ReadOnlyKey isLive={problem === couponTexts.readOnlyKey} />}
        {created && (
          <CreatedNotice key={created._id} coupon={created} onDismiss={() => setCreated(null)} onProblem={setProblem} />
        )}
        <Card padding={0} style={{ overflow: 'visible' }}>
          <ListHead
            query={query}
            readAt={coupons.data?.readAt ?? null}
            isBusy={coupons.isPlaceholderData}
            onSearch={(search) => change({ search })}
          />
          <CouponList
            query={query}
            coupons={coupons}
            mayWrite={mayWrite}
            openCoupon={param('coupon')}
            quickCreate={quickCreate}
            onOpen={(id) => put('coupon', id)}
            onEdit={(id) => put('form', id)}
            onChange={change}
            onProblem={setProblem}
          />
        </Card>
      </Stack>
      {coupons.data && <CouponDialog list={coupons.data} requestedId={openForm} onClose={() => put('form', null)} />}
    </>
  )
}

/** Keeps an open form if the API key turns out to be read-only, because its input is still needed. */
function useOpenForm(form: string | null, mayWrite: boolean): string | null {
  const [open, setOpen] = useState<string | null>(null)
  const allowedForm = mayWrite || form === open ? form : null
  if (allowedForm !== open) setOpen(allowedForm)
  return allowedForm
}

/** B 8. Keeps the previous list, if any, with its age in the heading. */
function ReadFailure({ coupons }: { coupons: ReturnType<typeof useCoupons> }) {
  const [dismissed, setDismissed] = useState<string | null>(null)
  const { data, error, errorUpdatedAt } = coupons
  const text = error ? getErrorText(error, couponTexts.fetchFailed) : data?.problem
  const id = `${text} ${error ? errorUpdatedAt : data?.readAt}`
  if (!text || id === dismissed) return null
  return <ErrorBanner onDismiss={() => setDismissed(id)}>{text}</ErrorBanner>
}

interface HeadProps {
  query: CouponQuery
  readAt: string | null
  isBusy: boolean
  onSearch: (text: string) => void
}

const ListHead = ({ query, readAt, isBusy, onSearch }: HeadProps) => (
  <Group p="md" gap="sm" justify="space-between">
    <div style={{ flex: '1 1 180px', maxWidth: 420 }}>
      <SearchBox label="Search codes" value={query.search ?? ''} isBusy={isBusy} onSearch={onSearch} />
    </div>
    {readAt && (
      <Text fz="sm" c="dimmed">
        Updated <TimeAgo at={readAt} />
      </Text>
    )}
  </Group>
)

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

function CouponList({ coupons, ...props }: Props) {
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
  const [selected, setSelected] = useState<Coupon | null>(null)
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
            onDelete={setSelected}
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
      <DeleteCoupon coupon={selected} onClose={() => setSelected(null)} onProblem={onProblem} />
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
      text="Offer a discount in your reminders. Your store’s coupons appear here too."
      isFirst
    >
      {quickCreate}
    </Empty>
  )
}
