import { Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import type { TimelineEntry } from '../../shared/carts.ts'
import { Empty } from '../ui/Empty.tsx'
import { DateTime } from '../ui/Time.tsx'

export function CartTimeline({ entries }: { entries: TimelineEntry[] }) {
  if (entries.length === 0) return <Empty icon={IconHistory} text="Nothing has happened yet." />
  return (
    <ol className="story">
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and are only ever added
        <li key={index}>
          <Text fw={600} fz="sm">
            {entry.title}
          </Text>
          {entry.text && <Text fz="sm">{entry.text}</Text>}
          <Text fz="xs" c="dimmed">
            <DateTime at={entry.at} />
          </Text>
        </li>
      ))}
    </ol>
  )
}
