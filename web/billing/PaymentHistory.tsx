import { Button, Card, Text, Title } from '@mantine/core'
import { IconExternalLink, IconReceipt } from '@tabler/icons-react'
import { useEffect } from 'react'
import { billingTexts } from '../../shared/billing-texts.ts'
import type { Payment } from '../../shared/payments.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { formatAmount } from './detail-copy.ts'
import { PageNumbers, usePageParam } from './PageNumbers.tsx'
import { useHistory } from './payment-queries.ts'
import { paymentLooks } from './paymentLook.ts'
import { formatDate } from './plan-copy.ts'

const REGION = 'payment-history'

export function PaymentHistory() {
  const { page, put } = usePageParam('payments')
  const isOpen = page !== null
  return (
    <div>
      <Button
        variant="default"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': REGION })}
        onClick={() => put(isOpen ? null : 1)}
      >
        {isOpen ? billingTexts.hideHistory : billingTexts.viewHistory}
      </Button>
      {isOpen && (
        <Card id={REGION} mt="md" p={0} component="section" aria-label="Payment history">
          <Title order={2} p="md">
            Payment history
          </Title>
          <Payments page={page} onPage={put} />
        </Card>
      )}
    </div>
  )
}

function Payments({ page, onPage }: { page: number; onPage: (page: number, replace?: boolean) => void }) {
  const history = useHistory(page)
  const last = history.isPlaceholderData ? 0 : (history.data?.pagination.pages ?? 0)
  // The page number in the address does not exist any more.
  useEffect(() => {
    if (last > 0 && page > last) onPage(last, true)
  })
  return (
    <Loaded
      query={history}
      loading={<LoadingRows count={4} />}
      failed={billingTexts.failed.loadHistory}
      className="padded"
    >
      {({ payments, pagination }) =>
        pagination.total === 0 ? (
          <Empty icon={IconReceipt} text={billingTexts.none.history} />
        ) : (
          <>
            <DataList label="Payments" columns={columns} rows={payments} keyOf={({ _id }) => _id} minWidth={640} />
            {pagination.pages > 1 && (
              <PageNumbers {...pagination} noun="payment" requestedPage={page} onPage={onPage} />
            )}
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly DataColumn<Payment>[] = [
  { id: 'date', label: 'Date', sort: null, cell: ({ createdAt }) => formatDate(createdAt) },
  { id: 'description', label: 'Description', sort: null, cell: ({ description }) => description },
  { id: 'status', label: 'Status', sort: null, cell: (payment) => <Status {...payment} /> },
  { id: 'amount', label: 'Amount', sort: null, isNumber: true, cell: (payment) => <Amount {...payment} /> },
  { id: 'invoice', label: 'Invoice', sort: null, cell: (payment) => <Invoice {...payment} /> },
]

const Status = ({ status, failureReason }: Payment) => (
  <>
    <StatusBadge {...paymentLooks[status]} />
    {failureReason && (
      <Text fz="sm" c="dimmed" mt={2}>
        {failureReason}
      </Text>
    )}
  </>
)

const Amount = ({ amount, currency, refundAmount }: Payment) => (
  <>
    <span className="tabular">{formatAmount(amount, currency)}</span>
    {refundAmount > 0 && (
      <Text fz="sm" c="dimmed">
        {formatAmount(refundAmount, currency)} refunded
      </Text>
    )}
  </>
)

function Invoice({ number, invoiceUrl, stripeInvoiceId }: Payment) {
  const name = number ?? stripeInvoiceId
  if (!invoiceUrl) return name
  return (
    <a href={invoiceUrl} target="_blank" rel="noreferrer" aria-label={`Invoice ${name}, in a new window`}>
      {name} <IconExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
    </a>
  )
}
