import { Button, Center, Text, Title } from '@mantine/core'
import {
  type Icon,
  IconBan,
  IconFingerprint,
  IconFlag,
  IconHandStop,
  IconMailX,
  IconSearchOff,
  IconUserOff,
} from '@tabler/icons-react'
import { useState } from 'react'
import {
  type RemovedEntry,
  removalOf,
  type SuppressionEntry,
  type SuppressionFilter,
  type SuppressionReason,
  suppressionTexts,
} from '../../shared/suppressions.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { counted } from '../ui/format.ts'
import { LoadingRows } from '../ui/Loading.tsx'
import type { Tone } from '../ui/Notice.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { useRemoveSuppression, useSuppressions } from './suppression-queries.ts'
import { sourceWords } from './suppression-words.ts'

const looks: Record<SuppressionReason, { tone: Tone; icon: Icon }> = {
  unsubscribed: { tone: 'info', icon: IconHandStop },
  complaint: { tone: 'bad', icon: IconFlag },
  hard_bounce: { tone: 'warn', icon: IconMailX },
  manual: { tone: 'quiet', icon: IconBan },
  invalid: { tone: 'warn', icon: IconMailX },
  erased: { tone: 'quiet', icon: IconUserOff },
}

/** Why there is no button. */
const staysBecause = {
  unsubscribed: 'Only they can take this back',
  complaint: 'Stays: they reported spam',
  erased: 'Stays: they were erased',
}

interface Props {
  filter: SuppressionFilter
  mayChange: boolean
  onShowAll: () => void
}

export function SuppressionEntries({ filter, mayChange, onShowAll }: Props) {
  const list = useSuppressions(filter)
  const [asked, setAsked] = useState<SuppressionEntry | null>(null)
  if (list.isPending) return <LoadingRows count={6} />
  if (!list.data) {
    return (
      <div className="suppressions-body">
        <Failed title="The list could not be loaded" error={list.error} onRetry={() => list.refetch()} />
      </div>
    )
  }
  const entries = list.data.pages.flatMap((page) => page.entries)
  const [first] = list.data.pages
  return (
    <>
      <Text className="suppressions-count" role="status">
        {counted(first!.total, 'entry', 'entries')}
      </Text>
      {entries.length === 0 ? (
        <Nothing isFiltered={Object.keys(filter).length > 0} onShowAll={onShowAll} />
      ) : (
        <ul className="suppressions">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} onRemove={mayChange ? () => setAsked(entry) : null} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Center p="md">
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
      <Removed entries={first!.removed} />
      <RemoveDialog key={asked?.id} entry={asked} onClose={() => setAsked(null)} />
    </>
  )
}

function Nothing({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  if (!isFiltered) {
    return (
      <Empty
        icon={IconBan}
        text="Nobody is on the list yet. Whoever unsubscribes, or whose address does not work, is put on it by itself."
      />
    )
  }
  return (
    <Empty icon={IconSearchOff} text="Nothing on the list fits. An address that is not here may get messages.">
      <Button variant="default" onClick={onShowAll}>
        Show the whole list
      </Button>
    </Empty>
  )
}

function Entry({ entry, onRemove }: { entry: SuppressionEntry; onRemove: (() => void) | null }) {
  const { address, channel, reason, note, since } = entry
  return (
    <li>
      <div className="suppression-words">
        <div className="suppression-who">
          {address === null ? (
            <span className="suppression-erased">
              <IconFingerprint size={16} aria-hidden /> Erased person
            </span>
          ) : (
            <strong>{address}</strong>
          )}
          <StatusBadge {...looks[reason]} label={suppressionTexts.reasons[reason]} />
        </div>
        <Text fz="xs" c="dimmed">
          {suppressionTexts.channels[channel]} · since <DateTime at={since} /> · {sourceWords(entry)}
        </Text>
        {note && <Text fz="xs">“{note}”</Text>}
      </div>
      {removalOf[reason] === 'person' ? (
        <Text fz="xs" c="dimmed" className="suppression-stays">
          {staysBecause[reason as keyof typeof staysBecause]}
        </Text>
      ) : (
        onRemove && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={`Take off ${address ?? 'the entry'}`}>
            Take off
          </Button>
        )
      )}
    </li>
  )
}

function RemoveDialog({ entry, onClose }: { entry: SuppressionEntry | null; onClose: () => void }) {
  const remove = useRemoveSuppression()
  if (!entry) return null
  return (
    <Confirm
      opened
      title={`Take ${entry.address ?? 'this entry'} off the list?`}
      confirmLabel="Take off"
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(entry.id, {
          onSuccess: () => {
            announce('Taken off the list.')
            onClose()
          },
        })
      }
    >
      <Text>
        Messages may go there again: {suppressionTexts.channels[entry.channel].toLowerCase()}. Other entries of the same
        address stay. Your name is kept with it.
      </Text>
      {entry.reason === 'hard_bounce' && (
        <Text mt="sm" fw={550}>
          A mail server said that this address does not work. If it still does not, mail providers may hold that against
          your other mails. Take it off only if you know that it works now.
        </Text>
      )}
    </Confirm>
  )
}

function Removed({ entries }: { entries: RemovedEntry[] }) {
  if (entries.length === 0) return null
  return (
    <section className="suppressions-removed" aria-label="Taken off the list">
      <Title order={3} fz="sm">
        Taken off the list
      </Title>
      <ul>
        {entries.map(({ id, address, reason, channel, removedBy, removedAt }) => (
          <li key={id}>
            {address ?? 'Erased person'} ({suppressionTexts.reasons[reason]}, {suppressionTexts.channels[channel]}) by{' '}
            {removedBy ?? 'a former member'}, <DateTime at={removedAt} />
          </li>
        ))}
      </ul>
    </section>
  )
}
