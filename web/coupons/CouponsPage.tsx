import './coupons.css'
import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { couponTexts } from '../../shared/coupons.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { SendDiscountButton } from '../discount-mail/SendDiscountButton.tsx'
import { ErrorBanner } from '../ui/ErrorBanner.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { useListQuery } from '../ui/useListQuery.ts'
import { CouponDialog, NEW } from './CouponDialog.tsx'
import { CouponList } from './CouponList.tsx'
import { type CreatedCoupon, CreatedNotice } from './CreatedNotice.tsx'
import { QuickCreate } from './QuickCreate.tsx'
import { type CouponQuery, useCoupons } from './queries.ts'
import { ReadOnlyKey } from './ReadOnlyKey.tsx'
import { couponsAddress } from './rules.ts'

export function CouponsPage() {
  const { query, change, put, param } = useListQuery(couponsAddress)
  const coupons = useCoupons(query)
  const role = useHasPermission('coupons:write')
  const [problem, setProblem] = useState<string | null>(null)
  const [created, setCreated] = useState<CreatedCoupon | null>(null)
  const mayWrite = role && coupons.data?.canWrite === true
  const asked = useOpenForm(param('form'), mayWrite)
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
      {coupons.data && <CouponDialog list={coupons.data} asked={asked} onClose={() => put('form', null)} />}
    </>
  )
}

/** Keeps an open form if the API key turns out to be read-only, because its input is still needed. */
function useOpenForm(form: string | null, mayWrite: boolean): string | null {
  const [open, setOpen] = useState<string | null>(null)
  const asked = mayWrite || form === open ? form : null
  if (asked !== open) setOpen(asked)
  return asked
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
        Read from your store <TimeAgo at={readAt} />
      </Text>
    )}
  </Group>
)
