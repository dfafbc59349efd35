import { Card, Text, Title } from '@mantine/core'
import '../../core/ui/setting.css'
import { ThemePicker } from '../../core/theme/ThemePicker.tsx'

export function AppearanceTab() {
  return (
    <Card className="setting-line">
      <div>
        <Title order={2}>Appearance</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          Saved in this browser.
        </Text>
        <ThemePicker />
      </div>
    </Card>
  )
}
