import { Card, Text, Title } from '@mantine/core'
import { ThemePicker } from '../../core/theme/ThemePicker.tsx'

export function AppearanceTab() {
  return (
    <Card>
      <Title order={2}>Appearance</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Applies immediately and is saved in this browser.
      </Text>
      <ThemePicker />
    </Card>
  )
}
