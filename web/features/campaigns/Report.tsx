import { Button, Card, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { IconRefresh, IconUserOff } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { CampaignReport } from '../../../shared/marketing/campaign-report.ts'
import {
  type CampaignRecipient,
  cancelHeldMessages,
  exportCampaignRecipients,
  listCampaignRecipients,
  type RecipientState,
  recipientStates,
  retryCampaign,
} from '../../../shared/marketing/campaign-report.ts'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { BROKEN, call, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { DownloadButton, useDownload } from '../../core/ui/Download.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards, LoadingRows } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageButtons } from '../../core/ui/Pager.tsx'
import { CountsBar } from '../../kits/flows/CountsBar.tsx'
import { countParts } from '../../kits/flows/rules.ts'
import { useCanSend } from '../../kits/manual-sends/useTextAction.ts'
import { describeSent } from './held-messages.ts'
import { Revenue } from './parts.tsx'
import { REFRESH_MS, useReport } from './report-queries.ts'
import { StoreTime, useStoreClock } from './StoreTime.tsx'

/** Campaign report; every message is in exactly one part of the bar (D6). */
export function Report({ campaign }: { campaign: CampaignView }) {
  const report = useReport(campaign.id)
  return (
    <Stack gap="md">
      <Card>
        <Title order={2} mb="md">
          Messages so far
        </Title>
        <CountsBar counts={report.data?.counts ?? campaign.counts} />
        {report.data && <HeldBack campaign={campaign} report={report.data} />}
        {report.data && report.data.retryable > 0 && <Retry id={campaign.id} count={report.data.retryable} />}
      </Card>
      <Rest campaign={campaign} report={report} />
    </Stack>
  )
}

function Rest({ campaign, report }: { campaign: CampaignView; report: ReturnType<typeof useReport> }) {
  return (
    <Loaded query={report} loading={<LoadingCards count={2} />} failed="The report could not be loaded">
      {(data) => (
        <>
          <Figures report={data} isMail={campaign.type === 'email'} />
          {data.runs.length > 1 && <Runs runs={data.runs} />}
          {data.links.length > 0 && <Links links={data.links} />}
          <Recipients campaignId={campaign.id} runs={data.runs.length} />
        </>
      )}
    </Loaded>
  )
}

function Retry({ id, count }: { id: string; count: number }) {
  const retry = useRetryFailed(id)
  const mayWrite = useCanSend()
  if (!mayWrite) return null
  return (
    <Stack gap="sm" mt="md" align="flex-start">
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={retry.isPending}
        onClick={() =>
          retry.mutate(undefined, {
            onSuccess: ({ retried }) => announce(`${formatCounted(retried, 'message')} will be tried again.`),
          })
        }
      >
        Retry the {formatCount(count)} failed
      </Button>
      {retry.error && (
        <Notice tone="bad" isLive>
          {getErrorText(retry.error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}

function Figures({ report, isMail }: { report: CampaignReport; isMail: boolean }) {
  const { delivered, opened, openedByMachines, clicked, orders, revenue, unsubscribed, bounced, complained } = report
  const { sent } = report.counts
  const accepted = sent + bounced
  return (
    <Card>
      <Title order={2} mb="md">
        Results
      </Title>
      <dl className="campaign-results">
        <Result name="Net revenue" tone="good" value={<Revenue revenue={revenue} />} />
        <Result name="Orders" {...splitRate(orders, sent)} />
        <Result name="Clicked" {...splitRate(clicked, sent)} />
        {isMail && (
          <Result
            name="Opened (reported)"
            {...splitRate(opened, sent)}
            note={openedByMachines > 0 && `${formatCount(openedByMachines)} by machines only`}
          />
        )}
        <Result name="Delivered" {...splitDelivered(delivered, sent)} />
        <Result name="Unsubscribed" {...splitRate(unsubscribed, sent)} />
        {isMail && <Result name="Bounced" {...splitRate(bounced, accepted)} tone={bounced > 0 ? 'bad' : undefined} />}
        {isMail && (
          <Result name="Spam complaints" {...splitRate(complained, sent)} tone={complained > 0 ? 'bad' : undefined} />
        )}
      </dl>
      <Text fz="xs" c="dimmed" mt="md">
        Percentages of messages sent (bounce rate includes bounced ones). Net revenue includes tax and shipping, minus
        refunds.
      </Text>
    </Card>
  )
}

interface ResultProps {
  name: string
  value: ReactNode
  rate?: string | null
  note?: string | false
  tone?: 'good' | 'bad' | undefined
}

const Result = ({ name, value, rate, note, tone }: ResultProps) => (
  <div data-tone={tone}>
    <dt>{name}</dt>
    <dd>
      <span className="tabular">{value}</span>
      {rate && <small className="tabular">{rate}</small>}
      {note && <small>{note}</small>}
    </dd>
  </div>
)

const Runs = ({ runs }: Pick<CampaignReport, 'runs'>) => (
  <Card padding={0}>
    <Title order={2} p="lg" pb="sm">
      Runs
    </Title>
    <DataList
      label="Runs"
      rows={[...runs]}
      getKey={({ run }) => String(run)}
      columns={[
        { id: 'run', label: 'Run', sort: null, cell: ({ run }) => formatCount(run) },
        { id: 'started', label: 'Started', sort: null, cell: ({ startedAt }) => <StoreTime at={startedAt} /> },
        {
          id: 'planned',
          label: 'Messages',
          sort: null,
          isNumber: true,
          cell: ({ plannedAt, counts }) => `${formatCount(counts.planned)}${plannedAt ? '' : ' so far'}`,
        },
        { id: 'sent', label: 'Sent', sort: null, isNumber: true, cell: ({ counts }) => formatCount(counts.sent) },
        { id: 'orders', label: 'Orders', sort: null, isNumber: true, cell: ({ orders }) => formatCount(orders) },
        { id: 'revenue', label: 'Revenue', sort: null, isNumber: true, cell: (run) => <Revenue {...run} /> },
      ]}
    />
  </Card>
)

const Links = ({ links }: Pick<CampaignReport, 'links'>) => (
  <Card padding={0}>
    <Title order={2} p="lg" pb="sm">
      Links
    </Title>
    <DataList
      label="Links"
      rows={[...links]}
      getKey={({ target }) => target}
      columns={[
        { id: 'target', label: 'Link', sort: null, shrinks: ({ target }) => target, cell: ({ target }) => target },
        { id: 'people', label: 'People', sort: null, isNumber: true, cell: ({ people }) => formatCount(people) },
        { id: 'clicks', label: 'Clicks', sort: null, isNumber: true, cell: ({ clicks }) => formatCount(clicks) },
      ]}
    />
  </Card>
)

interface Props {
  campaign: CampaignView
  report: CampaignReport
}

/** Counts of sent and held-back messages, with an action to drop the held ones. */
function HeldBack({ campaign, report }: Props) {
  const text = describeSent(report, campaign.schedule, useStoreClock())
  const mayWrite = useCanSend()
  const { held } = report
  return (
    <Stack gap="sm" mt="md" align="flex-start">
      {text && <Text fz="sm">{text}</Text>}
      {held && mayWrite && <Drop id={campaign.id} count={held.count} />}
    </Stack>
  )
}

function Drop({ id, count }: { id: string; count: number }) {
  const [isAsking, setAsking] = useState(false)
  const drop = useDropHeld(id)
  const confirm = () =>
    drop.mutate(undefined, {
      onSuccess: ({ dropped }) => {
        setAsking(false)
        announce(`${formatCounted(dropped, 'message')} dropped.`)
      },
    })
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
        Drop held messages
      </Button>
      <Confirm
        opened={isAsking}
        title={`Drop ${formatCounted(count, 'held message')}?`}
        confirmLabel="Drop"
        isDangerous
        isBusy={drop.isPending}
        problem={drop.error && getErrorText(drop.error, BROKEN)}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        They will not get this campaign. Sent and scheduled messages do not change.
      </Confirm>
    </>
  )
}

const getStateName = (state: RecipientState) => countParts.find(({ key }) => key === state)?.label ?? state

/** Every recipient with the state of the message and its reason. */
function Recipients({ campaignId, runs }: { campaignId: string; runs: number }) {
  const [query, setQuery] = useState<RecipientQuery>({ page: 1, state: null, run: null })
  const recipients = useRecipients(campaignId, query)
  const change = (next: Partial<RecipientQuery>) => setQuery({ ...query, page: 1, ...next })
  return (
    <Card padding={0}>
      <Group p="lg" pb="sm" gap="sm" justify="space-between">
        <Title order={2}>Recipients</Title>
        <Group gap="sm">
          <NativeSelect
            aria-label="State"
            data={[
              { value: '', label: 'All states' },
              ...recipientStates.map((value) => ({ value, label: getStateName(value) })),
            ]}
            value={query.state ?? ''}
            onChange={(event) =>
              change({ state: recipientStates.find((s) => s === event.currentTarget.value) ?? null })
            }
          />
          {runs > 1 && (
            <NativeSelect
              aria-label="Run"
              data={[
                { value: '', label: 'All runs' },
                ...Array.from({ length: runs }, (_, index) => ({
                  value: `${runs - index}`,
                  label: `Run ${runs - index}`,
                })),
              ]}
              value={String(query.run ?? '')}
              onChange={(event) => change({ run: Number(event.currentTarget.value) || null })}
            />
          )}
          <Export campaignId={campaignId} query={query} />
        </Group>
      </Group>
      <Loaded
        query={recipients}
        loading={<LoadingRows count={5} />}
        failed="The recipients could not be loaded"
        className="padded"
      >
        {({ recipients: rows, pagination }) => (
          <div aria-busy={recipients.isPlaceholderData}>
            {rows.length === 0 ? (
              <Empty
                icon={IconUserOff}
                text={query.state || query.run ? 'No recipient in this state.' : 'No recipients yet.'}
              />
            ) : (
              <DataList
                label="Recipients"
                minWidth={720}
                rows={rows}
                getKey={({ messageId }) => messageId}
                columns={columns}
              />
            )}
            {pagination.pages > 1 && (
              <div className="list-foot">
                <PageButtons
                  {...pagination}
                  requestedPage={query.page}
                  onPage={(page) => setQuery({ ...query, page })}
                />
              </div>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const columns: readonly DataColumn<CampaignRecipient>[] = [
  {
    id: 'customer',
    label: 'Customer',
    sort: null,
    cell: ({ customer, shopperId, cartId }) => (
      <Link className="plain-button" to={cartId ? `/carts/${cartId}` : `/customers/${shopperId}`}>
        {customer}
      </Link>
    ),
  },
  { id: 'to', label: 'To', sort: null, shrinks: ({ to }) => to, cell: ({ to }) => to ?? '–' },
  { id: 'state', label: 'State', sort: null, cell: ({ state }) => getStateName(state) },
  {
    id: 'why',
    label: 'Why',
    sort: null,
    cell: ({ explanation }) => (
      <Text fz="sm" c="dimmed">
        {explanation}
      </Text>
    ),
  },
  {
    id: 'at',
    label: 'Sent or due',
    sort: null,
    cell: ({ sentAt, heldUntil, dueAt }) => (
      <>
        {heldUntil && 'Held until '}
        <StoreTime at={sentAt ?? heldUntil ?? dueAt} />
      </>
    ),
  },
]

function Export({ campaignId, query }: { campaignId: string; query: RecipientQuery }) {
  const mayExport = useHasPermission('account:export')
  const download = useExportRecipients(campaignId)
  if (!mayExport) return null
  return (
    <>
      <DownloadButton isBusy={download.isPending} onClick={() => download.mutate(query)} />
      {download.error && (
        <Notice tone="bad" isLive>
          {getErrorText(download.error, BROKEN)}
        </Notice>
      )}
    </>
  )
}

// Formats the figures of a report. Pure.

/** "3 (43%)"; without the rate if the base is zero. */
export function splitRate(count: number, of: number): { value: string; rate: string | null } {
  const value = formatCount(count)
  if (of === 0) return { value, rate: null }
  const percent = (count / of) * 100
  return { value, rate: percent > 0 && percent < 1 ? '<1%' : `${Math.round(percent)}%` }
}

/** Many mail servers report no deliveries, so zero reports do not mean zero deliveries. */
export const splitDelivered = (delivered: number, sent: number) =>
  delivered === 0 && sent > 0 ? { value: '–', rate: 'Not reported' } : splitRate(delivered, sent)

interface RecipientQuery {
  page: number
  state: RecipientState | null
  run: number | null
}

function useRecipients(id: string, { page, state, run }: RecipientQuery) {
  const storeId = useStore()?.id
  const query = { page, limit: 50, ...(state && { state }), ...(run && { run }) }
  return useQuery({
    queryKey: ['campaigns', storeId, 'recipients', id, query],
    queryFn: ({ signal }) => call(listCampaignRecipients, { params: { id }, query, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
}

const useExportRecipients = (id: string) =>
  useDownload(({ state, run }: Pick<RecipientQuery, 'state' | 'run'>) =>
    call(exportCampaignRecipients, { params: { id }, query: { ...(state && { state }), ...(run && { run }) } }),
  )

function useDropHeld(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(cancelHeldMessages, { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}

function useRetryFailed(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(retryCampaign, { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}
