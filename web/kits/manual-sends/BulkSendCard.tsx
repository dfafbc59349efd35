import { Button, Card, Group, Progress, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconChevronUp,
  IconCircleCheck,
  IconHourglass,
  IconQuestionMark,
  IconRefresh,
} from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BulkSend, BulkSendItem } from '../../../shared/delivery/reminders.ts'
import { readBulkSend, retryBulkSend } from '../../../shared/delivery/reminders.ts'
import { useStore } from '../../core/access/queries.ts'
import { BROKEN, call, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageButtons } from '../../core/ui/Pager.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { useRefresh } from './send-queries.ts'
import { channelNames, channelText, describeResult } from './sending.ts'
import { useCanSend } from './useTextAction.ts'

interface Props {
  jobId: string
  onJob: (jobId: string) => void
  onDismiss: () => void
}

/** Progress of a bulk send. At its end: the result of each cart or customer, and a retry for failures. */
export function BulkSendCard({ jobId, onJob, onDismiss }: Props) {
  const [page, setPage] = useState(1)
  const [only, setOnly] = useState<BulkSendItem['outcome'] | null>(null)
  const [isOpen, answers] = useDisclosure(false)
  const job = useBulkSend(jobId, page, only)
  useAnnounceEnd(job.data)
  if (job.isPending) return <JobFrame onDismiss={onDismiss}>{<LoadingList count={1} />}</JobFrame>
  if (!job.data) {
    return (
      <JobFrame onDismiss={onDismiss}>
        <Failed title="The progress could not be loaded" error={job.error} onRetry={() => job.refetch()} />
      </JobFrame>
    )
  }
  const { counts, retryable, done, total, pagination, results } = job.data
  return (
    <JobFrame onDismiss={onDismiss} title={describeTitle(job.data)}>
      <Progress.Root size="lg">
        <Progress.Section value={(100 * done) / Math.max(1, total)} aria-label={`${done} of ${total} done`} />
      </Progress.Root>
      <Text fz="sm" className="tabular">
        {describeCounts(job.data)}
        {job.data.sendAt && job.data.state === 'running' && (
          <>
            {' '}
            Sends <DateTime at={job.data.sendAt} />.
          </>
        )}
      </Text>
      <Group gap="sm">
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isOpen}
          rightSection={isOpen ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
          onClick={answers.toggle}
        >
          Results
        </Button>
        {retryable > 0 && job.data.state === 'done' && (
          <Retry jobId={jobId} failed={counts.failed} retryable={retryable} onJob={onJob} />
        )}
      </Group>
      {isOpen && (
        <Stack gap="sm">
          <Only
            counts={counts}
            value={only}
            onChange={(outcome) => {
              setOnly(outcome)
              setPage(1)
            }}
          />
          <ul
            className="answers"
            aria-label={job.data.isDiscount ? 'Results by customer' : 'Results by cart'}
            aria-busy={job.isPlaceholderData}
          >
            {results.map((item) => (
              <Answer key={item.cartId ?? item.shopperId} item={item} />
            ))}
          </ul>
          {pagination.pages > 1 && (
            <PageButtons {...pagination} requestedPage={page} size="compact-sm" noun="results" onPage={setPage} />
          )}
        </Stack>
      )}
    </JobFrame>
  )
}

interface OnlyProps {
  counts: BulkSend['counts']
  value: BulkSendItem['outcome'] | null
  onChange: (outcome: BulkSendItem['outcome'] | null) => void
}

/** Shows the few results that need attention among thousands: failed and unknown ones (D4). */
function Only({ counts, value, onChange }: OnlyProps) {
  const others = [
    { value: 'failed', label: 'Failed only' },
    { value: 'unknown', label: 'No answer' },
  ] as const
  const offered = others.filter((each) => counts[each.value] > 0 || each.value === value)
  if (offered.length === 0) return null
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label="Show"
      value={value ?? 'all'}
      onChange={(chosen) => onChange(others.find((each) => each.value === chosen)?.value ?? null)}
      data={[{ value: 'all', label: 'All' }, ...offered]}
    />
  )
}

interface FrameProps {
  title?: string
  onDismiss: () => void
  children: React.ReactNode
}

const JobFrame = ({ title = 'Sending', onDismiss, children }: FrameProps) => (
  <Card component="section" aria-label="Bulk sending" mb="md">
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2}>{title}</Title>
        <Button variant="subtle" size="compact-sm" flex="none" onClick={onDismiss}>
          Dismiss
        </Button>
      </Group>
      {children}
    </Stack>
  </Card>
)

interface RetryProps extends Pick<Props, 'jobId' | 'onJob'> {
  failed: number
  retryable: number
}

function Retry({ jobId, failed, retryable, onJob }: RetryProps) {
  const retry = useRetryJob(jobId)
  if (!useCanSend()) return null
  return (
    <>
      <Button
        size="compact-sm"
        loading={retry.isPending}
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={() => retry.mutate(undefined, { onSuccess: (answer) => onJob(answer.jobId) })}
      >
        Retry {retryable < failed ? `${formatCount(retryable)} of the` : 'the'} {formatCount(failed)} failed
      </Button>
      {retry.error && (
        <Notice tone="bad" isLive>
          {getErrorText(retry.error, BROKEN)}
        </Notice>
      )}
    </>
  )
}

const badges: Record<BulkSendItem['outcome'], Parameters<typeof StatusBadge>[0]> = {
  waiting: { tone: 'info', icon: IconHourglass, label: 'Waiting' },
  sent: { tone: 'good', icon: IconCircleCheck, label: 'Sent' },
  unknown: { tone: 'warn', icon: IconQuestionMark, label: 'Unknown' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Failed' },
}

const Answer = ({ item }: { item: BulkSendItem }) => (
  <li>
    <Text fz="sm" fw={600}>
      {item.customer}
      {item.to && (
        <Text span inherit fw={400} c="dimmed">
          {' '}
          {item.to}
        </Text>
      )}
    </Text>
    <StatusBadge {...badges[item.outcome]} />
    {item.explanation && item.outcome !== 'sent' && <Text fz="sm">{item.explanation}</Text>}
  </li>
)

/** A job this young was started by this user and may finish before the first poll. */
const JUST_NOW_MS = 15_000

/** Announces the end once, to users who saw the job running. */
function useAnnounceEnd(job: BulkSend | undefined) {
  const known = useRef(new Map<string, 'running' | 'said'>())
  useEffect(() => {
    if (!job) return
    const { jobId, state, createdAt } = job
    const isYoung = Date.now() - new Date(createdAt).getTime() < JUST_NOW_MS
    const previous = known.current.get(jobId)
    if (state === 'running') known.current.set(jobId, 'running')
    else if (previous === 'running' || (!previous && isYoung)) {
      known.current.set(jobId, 'said')
      announce(describeCompleted(job))
    }
  }, [job])
}

/** B 8. */
const describeCompleted = ({ channel, counts, isDiscount }: BulkSend) =>
  isDiscount
    ? describeResult(counts)
    : channel === 'whatsapp'
      ? `WhatsApp sending completed! Successful: ${counts.sent + counts.unknown}, Failed: ${counts.failed}`
      : `Bulk ${channelText[channel]} sending completed!`

const describeTitle = (job: BulkSend) =>
  job.state === 'done'
    ? describeCompleted(job)
    : `Sending ${channelNames[job.channel]} to ${formatCounted(job.total, job.isDiscount ? 'customer' : 'cart')}`

function describeCounts({ counts, done, total }: BulkSend): string {
  const parts = [`${formatCount(done)} of ${formatCount(total)} done`, `${formatCount(counts.sent)} sent`]
  if (counts.failed > 0) parts.push(`${formatCount(counts.failed)} failed`)
  if (counts.unknown > 0) parts.push(`${formatCount(counts.unknown)} without an answer`)
  return `${parts.join(' · ')}.`
}

const JOB_REFRESH_MS = 2_000

function useBulkSend(jobId: string, page: number, outcome: BulkSendItem['outcome'] | null) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['send-job', storeId, jobId, page, outcome],
    queryFn: ({ signal }) =>
      call(readBulkSend, {
        params: { jobId },
        query: { page, limit: 10, ...(outcome && { outcome }) },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : JOB_REFRESH_MS),
    placeholderData: keepPreviousData,
  })
}

function useRetryJob(jobId: string) {
  const queries = useQueryClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call(retryBulkSend, { params: { jobId } }),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['send-job'] })
      await refresh()
    },
  })
}
