import { Button, Card, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { CampaignReport } from '../../shared/campaign-report.ts'
import type { CampaignView } from '../../shared/campaigns.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { useCanSend } from '../carts/useTextAction.ts'
import { CountsBar } from '../flows/CountsBar.tsx'
import { announce } from '../ui/announce.ts'
import { DataList } from '../ui/DataList.tsx'
import { Facts } from '../ui/Facts.tsx'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { describeDelivered, formatWithRate } from './figures.ts'
import { HeldBack } from './HeldBack.tsx'
import { Revenue } from './parts.tsx'
import { Recipients } from './Recipients.tsx'
import { useReport, useRetryFailed } from './report-queries.ts'
import { StoreTime } from './StoreTime.tsx'

/** Campaign report (area decision 48); every message is in exactly one part of the bar (D6). */
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
      <Facts
        entries={[
          ['Delivered', describeDelivered(delivered, sent)],
          ...(isMail
            ? ([
                [
                  'Opened (reported)',
                  `${formatWithRate(opened, sent)}, and ${formatCount(openedByMachines)} by machines only`,
                ],
              ] as [string, string][])
            : []),
          ['Clicked', formatWithRate(clicked, sent)],
          ['Orders', formatWithRate(orders, sent)],
          ['Net revenue', <Revenue key="revenue" revenue={revenue} />],
          ['Unsubscribed', formatWithRate(unsubscribed, sent)],
          ...(isMail
            ? ([
                ['Bounced', formatWithRate(bounced, accepted)],
                ['Spam complaints', formatWithRate(complained, sent)],
              ] as [string, string][])
            : []),
        ]}
      />
      <Text fz="sm" c="dimmed" mt="md">
        Percentages are of the messages sent, those of bounces with the bounced ones. Net revenue is the total of the
        orders that came from this campaign, with tax and shipping, minus refunds.
      </Text>
    </Card>
  )
}

const Runs = ({ runs }: Pick<CampaignReport, 'runs'>) => (
  <Card padding={0}>
    <Title order={2} p="lg" pb="sm">
      Runs
    </Title>
    <DataList
      label="Runs"
      rows={[...runs]}
      keyOf={({ run }) => String(run)}
      columns={[
        { id: 'run', label: 'Run', sort: null, cell: ({ run }) => formatCount(run) },
        { id: 'started', label: 'Started', sort: null, cell: ({ startedAt }) => <StoreTime at={startedAt} /> },
        {
          ...{ id: 'planned', label: 'Messages', sort: null, isNumber: true },
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
      keyOf={({ target }) => target}
      columns={[
        { id: 'target', label: 'Link', sort: null, shrinks: ({ target }) => target, cell: ({ target }) => target },
        { id: 'people', label: 'People', sort: null, isNumber: true, cell: ({ people }) => formatCount(people) },
        { id: 'clicks', label: 'Clicks', sort: null, isNumber: true, cell: ({ clicks }) => formatCount(clicks) },
      ]}
    />
  </Card>
)
