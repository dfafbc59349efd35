import './campaigns.css'
import { Button, Card, Group, NativeSelect, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconFilterOff, IconMail, IconPlus, IconSend } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { useStore } from '../../core/access/queries.ts'
import { getErrorText } from '../../core/api/api.ts'
import { useHiddenIds } from '../../core/api/deletions.ts'
import { ColumnsMenu } from '../../core/ui/ColumnsMenu.tsx'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Filters } from '../../core/ui/Filters.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useIsWide, useListQuery } from '../../core/ui/useListQuery.ts'
import { useCanSend } from '../../kits/manual-sends/useTextAction.ts'
import { type ActionResult, useCampaignActions } from './actions.tsx'
import { Banner } from './Banner.tsx'
import { CampaignDialog } from './CampaignDialog.tsx'
import { findDeletedResult, useDeleteReport } from './deleting.ts'
import { badges, Revenue, StatusMark } from './parts.tsx'
import { type CampaignQuery, useCampaigns } from './queries.ts'
import { RowActions } from './RowActions.tsx'
import { campaignsAddress, createDraft, describeAudience, parseStatus, removeCampaigns, typeNames } from './rules.ts'
import { SendToAllDialog } from './SendToAllDialog.tsx'
import { StoreTime } from './StoreTime.tsx'
import { findStandstill } from './standstill.ts'

/** What `form` in the address opens. */
const [NEW, TO_ALL] = ['new', 'all']

export function CampaignsPage() {
  const { query, change, put, param } = useListQuery(campaignsAddress)
  const [result, setResult] = useState<ActionResult | null>(findDeletedResult)
  useDeleteReport(setResult)
  const mayWrite = useCanSend()
  const hasNone = useHasNone(query)
  const form = param('form')
  const open = (which: string) => {
    setResult(null)
    put('form', which)
  }
  const close = () => put('form', null)
  return (
    <>
      <PageTitle title="Email Campaigns" text="Manage your email campaigns and track their performance.">
        {mayWrite && (
          <>
            <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={() => open(TO_ALL)}>
              Send to All
            </Button>
            <Button
              variant={hasNone ? 'default' : 'filled'}
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => open(NEW)}
            >
              New Campaign
            </Button>
          </>
        )}
      </PageTitle>
      <Stack gap="md">
        {result && <Banner result={result} onDismiss={() => setResult(null)} />}
        <List query={query} mayWrite={mayWrite} onChange={change} onOpen={open} onResult={setResult} />
      </Stack>
      {mayWrite && (
        <>
          <New isOpen={form === NEW} onClose={close} onResult={setResult} />
          <SendToAllDialog
            isOpen={form === TO_ALL}
            onClose={close}
            onSent={(sentId) => setResult({ tone: 'good', text: campaignTexts.sent, sentId })}
          />
        </>
      )}
    </>
  )
}

function New({
  isOpen,
  onClose,
  onResult,
}: {
  isOpen: boolean
  onClose: () => void
  onResult: (result: ActionResult) => void
}) {
  const store = useStore()
  if (!store) return null
  return (
    <CampaignDialog
      isOpen={isOpen}
      name="new"
      start={() => createDraft(store.timeZone, Date.now())}
      onClose={onClose}
      onCreated={(_, isSent) =>
        onResult({ tone: 'good', text: isSent ? campaignTexts.sentNow : campaignTexts.created })
      }
    />
  )
}

interface ListProps {
  query: CampaignQuery
  mayWrite: boolean
  onChange: (next: Partial<CampaignQuery>) => void
  onOpen: (form: string) => void
  onResult: (result: ActionResult | null) => void
}

function List({ query, mayWrite, onChange, onOpen, onResult }: ListProps) {
  const campaigns = useCampaigns(query)
  const hidden = useHiddenIds()
  const columns = useAddedColumns()
  const isWide = useIsWide()
  const { act, dialog, isBusy } = useCampaignActions(onResult)
  const renderActions = (campaign: Parameters<typeof act>[1]) => (
    <RowActions campaign={campaign} mayWrite={mayWrite} isBusy={isBusy} onAction={act} />
  )
  const hasNone = useHasNone(query)
  return (
    <Card padding={0} style={{ overflow: 'visible' }}>
      {!hasNone && (
        <Group p="md" gap="sm">
          <div style={{ flex: '1 1 170px' }}>
            <SearchBox
              label="Search campaigns"
              value={query.search ?? ''}
              onSearch={(search) => onChange({ search })}
            />
          </div>
          <Filters active={query.status ? 1 : 0}>
            <NativeSelect
              aria-label="Status"
              data={[{ value: '', label: 'All statuses' }, ...statusNames]}
              value={query.status ?? ''}
              onChange={(event) => onChange(withStatus(event.currentTarget.value))}
            />
          </Filters>
          {isWide && <ColumnsMenu optional={addedColumns} {...columns} />}
        </Group>
      )}
      <Loaded
        query={campaigns}
        loading={<LoadingSkeleton />}
        failed={campaignTexts.notLoaded}
        getErrorText={(error) => getErrorText(error, campaignTexts.notFetched)}
        className="padded"
      >
        {(data) => {
          const { campaigns: rows, pagination } = removeCampaigns(data, hidden)
          return (
            <div aria-busy={campaigns.isPlaceholderData}>
              {rows.length === 0 ? (
                <Nothing query={query} mayWrite={mayWrite} onChange={onChange} onOpen={onOpen} />
              ) : (
                <>
                  <VisuallyHidden role="status">{formatCounted(pagination.total, 'campaign')}</VisuallyHidden>
                  <CampaignsTable campaigns={rows} added={columns.visible} actions={renderActions} />
                </>
              )}
              <Pager
                {...pagination}
                limit={query.limit}
                requestedPage={query.page}
                onPage={(page) => onChange({ page })}
                onLimit={(limit) => onChange({ limit })}
              />
            </div>
          )
        }}
      </Loaded>
      {dialog}
    </Card>
  )
}

/** The empty state has the actions then, and there is nothing to search. */
function useHasNone(query: CampaignQuery): boolean {
  return useCampaigns(query).data?.pagination.total === 0 && !isFiltered(query)
}

const isFiltered = ({ search, status }: CampaignQuery) => Boolean(search || status)

/** Empty parameters are removed from the address. */
const withStatus = (value: string) => ({ status: parseStatus(value) }) as Partial<CampaignQuery>

const LoadingSkeleton = () => (
  <>
    <Text fz="sm" c="dimmed" px="md" pb="sm">
      {campaignTexts.loading}
    </Text>
    <LoadingRows />
  </>
)

function Nothing({ query, mayWrite, onChange, onOpen }: Omit<ListProps, 'onResult'>) {
  if (query.page > 1) {
    return (
      <Empty icon={IconMail} text="There are no campaigns on this page.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  if (isFiltered(query)) {
    return (
      <Empty icon={IconFilterOff} text="No campaigns match your search and filter.">
        <Button variant="default" size="sm" onClick={() => onChange({ search: '', ...withStatus('') })}>
          Clear filters
        </Button>
      </Empty>
    )
  }
  return (
    <Empty icon={IconMail} text={campaignTexts.none} isFirst>
      {mayWrite && (
        <Group justify="center" gap="sm">
          <Button variant="default" onClick={() => onOpen(TO_ALL)}>
            Send to All Abandoned Carts
          </Button>
          <Button onClick={() => onOpen(NEW)}>Create Campaign</Button>
        </Group>
      )}
    </Empty>
  )
}

interface Props {
  campaigns: CampaignView[]
  added: readonly { id: AddedColumn }[]
  actions: (campaign: CampaignView) => ReactNode
}

function CampaignsTable({ campaigns, added, actions }: Props) {
  const addedColumns = addedCells.filter(({ id }) => added.some((column) => column.id === id))
  return (
    <DataList
      label="Campaigns"
      minWidth={600 + 80 * addedColumns.length}
      className="campaigns-rows"
      rows={campaigns}
      getKey={({ id }) => id}
      columns={[
        ...standard,
        ...addedColumns,
        { id: 'action', label: 'Action', sort: null, isNumber: true, cell: actions },
      ]}
      card={(campaign) => <CampaignCard campaign={campaign} actions={actions(campaign)} />}
    />
  )
}

/** B 2. */
const standard: readonly DataColumn<CampaignView>[] = [
  { id: 'campaign', label: 'Campaign', sort: null, cell: (campaign) => <Name campaign={campaign} /> },
  {
    id: 'status',
    label: 'Status',
    sort: null,
    cell: (campaign) => (
      <>
        <StatusMark status={campaign.status} />
        <WhyNot campaign={campaign} />
      </>
    ),
  },
  { id: 'created', label: 'Created', sort: null, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

const addedCells: readonly (DataColumn<CampaignView> & { id: AddedColumn })[] = [
  { id: 'audience', label: 'Audience', sort: null, cell: describeAudience },
  { id: 'sent', label: 'Sent', sort: null, isNumber: true, cell: ({ counts }) => formatCount(counts.sent) },
  { id: 'revenue', label: 'Revenue', sort: null, isNumber: true, cell: (campaign) => <Revenue {...campaign} /> },
  { id: 'next', label: 'Next run', sort: null, cell: (campaign) => <NextRun {...campaign} /> },
]

const Name = ({ campaign: { id, name, description, type } }: { campaign: CampaignView }) => (
  <div className="campaign-name">
    <Link className="plain-button" to={`/campaigns/${id}`}>
      {name}
    </Link>
    <Text fz="xs" c="dimmed" lineClamp={1}>
      {typeNames[type]}
      {description && ` · ${description}`}
    </Text>
  </div>
)

/** Card layout for screens too narrow for a table. */
function CampaignCard({ campaign, actions }: { campaign: CampaignView; actions: ReactNode }) {
  const { counts, nextRunAt, createdAt } = campaign
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <Name campaign={campaign} />
        <StatusMark status={campaign.status} />
      </Group>
      <WhyNot campaign={campaign} />
      <Text fz="sm" c="dimmed">
        Created <TimeAgo at={createdAt} /> · {describeAudience(campaign)}
      </Text>
      <Group gap="sm" justify="space-between" wrap="nowrap" mt={4}>
        <Text fz="sm" c="dimmed">
          {formatCount(counts.sent)} sent
          {nextRunAt && (
            <>
              {' · next '}
              <StoreTime at={nextRunAt} />
            </>
          )}
        </Text>
        {actions}
      </Group>
    </>
  )
}

// Columns beyond the specification's, which can be hidden.

type AddedColumn = 'audience' | 'sent' | 'revenue' | 'next'

const addedColumns: readonly { id: AddedColumn; label: string }[] = [
  { id: 'audience', label: 'Audience' },
  { id: 'sent', label: 'Sent' },
  { id: 'revenue', label: 'Revenue' },
  { id: 'next', label: 'Next run' },
]

const KEY = 'campaign-columns'
const all = addedColumns.map(({ id }) => id)

/** Reads the stored selection; by default all columns are shown. */
const readColumns = (stored: string | null): AddedColumn[] =>
  stored === null ? all : all.filter((id) => stored.split(',').includes(id))

function useAddedColumns() {
  const [visible, setVisible] = useState(() => readColumns(localStorage.getItem(KEY)))
  const choose = (next: AddedColumn[]) => {
    localStorage.setItem(KEY, next.join(','))
    setVisible(readColumns(next.join(',')))
  }
  return {
    visible: addedColumns.filter(({ id }) => visible.includes(id)),
    toggle: (id: AddedColumn) =>
      choose(visible.includes(id) ? visible.filter((other) => other !== id) : [...visible, id]),
    reset: () => choose(all),
  }
}

const statusNames = Object.entries(badges).map(([value, { label }]) => ({ value, label }))

const NextRun = ({ nextRunAt }: Pick<CampaignView, 'nextRunAt'>) => (nextRunAt ? <StoreTime at={nextRunAt} /> : '–')

/** Explains why a campaign does not run although no member paused it. */
function WhyNot({ campaign }: { campaign: CampaignView }) {
  const standstill = findStandstill(campaign)
  return (
    standstill && (
      <Text span fz="xs" c="dimmed" display="block">
        {standstill.short}
      </Text>
    )
  )
}
