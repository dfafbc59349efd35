import { Group, Text } from '@mantine/core'

export function Logo({ withTagline }: { withTagline?: boolean }) {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/favicon.svg" width={30} height={30} alt="" />
      <div>
        <Text fw={700} fz={18} lh={1.15}>
          Recoup
        </Text>
        {withTagline && (
          <Text fz={11} c="dimmed" lh={1.3}>
            Abandoned Cart Recovery
          </Text>
        )}
      </div>
    </Group>
  )
}
