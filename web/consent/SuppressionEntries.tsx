import { Button, Text, Title } from '@mantine/core'
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
import { type ReactNode, useState } from 'react'
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
import { formatCounted } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import type { Tone } from '../ui/Notice.tsx'
import { ShowMore } from '../ui/ShowMore.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { useDoubtfulSuppressions, useRemoveSuppression, useSuppressions } from './suppression-queries.ts'

const looks: Record<SuppressionReason, { tone: Tone; icon: Icon }> = {
  unsubscribed: { tone: 'info', icon: IconHandStop },
  complaint: { tone: 'bad', icon: IconFlag },
  hard_bounce: { tone: 'warn', icon: IconMailX },
  manual: { tone: 'quiet', icon: IconBan },
  invalid: { tone: 'warn', icon: IconMailX },
  erased: { tone: 'quiet', icon: IconUserOff },
}

/** Why the entry cannot be removed. */
const staysBecause = {
  unsubscribed: 'Only they can undo this',
  complaint: 'Permanent: spam report',
  erased: 'Permanent: erased',
}

interface Props {
  filter: SuppressionFilter
  mayChange: boolean
  onShowAll: () => void
}

export function SuppressionEntries(props: Props) {
  const list = useSuppressions(props.filter)
  return (
    <Loaded
      query={list}
      loading={<LoadingRows count={6} />}
      failed="The list could not be loaded"
      className="suppressions-body"
    >
      {({ pages }) => <Entries {...props} pages={pages} more={<ShowMore list={list} />} />}
    </Loaded>
  )
}

/** Suppressed by an earlier version because of a reply that does not concern the address. */
export function DoubtfulEntries({ mayChange }: { mayChange: boolean }) {
  const { data } = useDoubtfulSuppressions()
  const [asked, setAsked] = useState<SuppressionEntry | null>(null)
  if (!data || data.entries.length === 0) return null
  return (
    <section className="suppressions-removed" aria-label="Suppressed without a fault of the address">
      <Title order={3} fz="sm">
        The address may be fine
      </Title>
      <Text fz="sm" c="dimmed" mt={4}>
        These addresses were added after a bounce, but the mail server’s answer names another cause, such as its policy
        or a full mailbox. They stay on the list until you remove them.
      </Text>
      <ul className="suppressions">
        {data.entries.map((entry) => (
          <Entry
            key={entry.id}
            entry={{ ...entry, note: entry.reply }}
            onRemove={mayChange ? () => setAsked(entry) : null}
          />
        ))}
      </ul>
      <RemoveDialog key={asked?.id} entry={asked} isDoubtful onClose={() => setAsked(null)} />
    </section>
  )
}

interface EntriesProps extends Props {
  pages: NonNullable<ReturnType<typeof useSuppressions>['data']>['pages']
  more: ReactNode
}

function Entries({ filter, mayChange, onShowAll, pages, more }: EntriesProps) {
  const [asked, setAsked] = useState<SuppressionEntry | null>(null)
  const entries = pages.flatMap((page) => page.entries)
  const [first] = pages
  return (
    <>
      <Text className="suppressions-count" role="status">
        {formatCounted(first!.total, 'entry', 'entries')}
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
      {more}
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
        text="Nobody is on the list yet. People who unsubscribe, and addresses that do not work, are added automatically."
      />
    )
  }
  return (
    <Empty icon={IconSearchOff} text="No entry matches. Addresses that are not on the list can get messages.">
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
          {suppressionTexts.channels[channel]} · since <DateTime at={since} /> · {describeSource(entry)}
        </Text>
        {note && <Text fz="xs">“{note}”</Text>}
      </div>
      {removalOf[reason] === 'person' ? (
        <Text fz="xs" c="dimmed" className="suppression-stays">
          {staysBecause[reason as keyof typeof staysBecause]}
        </Text>
      ) : (
        onRemove && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${address ?? 'the entry'}`}>
            Remove
          </Button>
        )
      )}
    </li>
  )
}

interface RemoveDialogProps {
  entry: SuppressionEntry | null
  /** The server's reply names a cause other than the address. */
  isDoubtful?: boolean
  onClose: () => void
}

function RemoveDialog({ entry, isDoubtful = false, onClose }: RemoveDialogProps) {
  const remove = useRemoveSuppression()
  if (!entry) return null
  return (
    <Confirm
      opened
      title={`Remove ${entry.address ?? 'this entry'} from the list?`}
      confirmLabel="Remove"
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(entry.id, {
          onSuccess: () => {
            announce('Removed from the list.')
            onClose()
          },
        })
      }
    >
      <Text>
        This address can get messages again: {suppressionTexts.channels[entry.channel].toLowerCase()}. Other entries for
        the same address stay. Your name is kept on record.
      </Text>
      {entry.reason === 'hard_bounce' && !isDoubtful && (
        <Text mt="sm" fw={550}>
          A mail server reported that this address does not work. If it still does not, your sender reputation may
          suffer. Remove it only if you know that it works now.
        </Text>
      )}
    </Confirm>
  )
}

function Removed({ entries }: { entries: RemovedEntry[] }) {
  if (entries.length === 0) return null
  return (
    <section className="suppressions-removed" aria-label="Removed from the list">
      <Title order={3} fz="sm">
        Removed from the list
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

// Describes an entry's source. Pure.

const SOURCES: Record<string, string> = {
  'by hand': 'added manually',
  'one-click': 'with the unsubscribe button of their email app',
  'unsubscribe page': 'on the unsubscribe page',
  'preference page': 'on the preference page',
  smtp: 'the mail server refused the address',
  dsn: 'an email bounced',
  arf: 'reported by their email provider',
  sms: 'reported by the SMS provider',
  whatsapp: 'reported by the WhatsApp provider',
  ses: 'reported by Amazon SES',
  postmark: 'reported by Postmark',
  sendgrid: 'reported by SendGrid',
  mailgun: 'reported by Mailgun',
  erasure: 'erased on request',
}

/** A file source has the form `file old.csv`; unknown sources are shown unchanged. */
function describeSource({ source, addedBy }: Pick<SuppressionEntry, 'source' | 'addedBy'>): string {
  const words = source.startsWith('file')
    ? source.replace(/^file ?/, 'from the file ').trim()
    : (SOURCES[source] ?? source)
  return addedBy ? `${words} (${addedBy})` : words
}
