<?php

namespace Recoup\WooCommerce;

/** The owner's settings in Recoup, from the last beat, and the boxes chosen on the plugin's screen. */
final class Settings
{
    public const CHANNELS = ['email', 'sms', 'whatsapp'];
    private const STRICT_MODES = ['nothing', 'cart_only'];
    private const MAX_WORDING_LENGTH = 1000;

    public static function getVersion(): string
    {
        return (string) (self::readCached()['version'] ?? '');
    }

    private static function readCached(): array
    {
        $settings = Connection::readAll()['settings'] ?? [];
        return is_array($settings) ? $settings : [];
    }

    /** Returns what may be stored before the shopper consents: 'nothing', 'cart_only' or 'cart_and_contact'. */
    public static function getConsentMode(): string
    {
        return (string) (self::readCached()['before'] ?? 'cart_and_contact');
    }

    /** Stores the well-formed part of the settings.
     * @param mixed $input */
    public static function saveInput($input): void
    {
        if (!is_array($input) || !is_string($input['version'] ?? null)) {
            return;
        }
        $boxes = [];
        foreach (is_array($input['boxes'] ?? null) ? $input['boxes'] : [] as $box) {
            $channel = $box['channel'] ?? '';
            $text = Text::toPlain($box['words'] ?? '', self::MAX_WORDING_LENGTH);
            if (in_array($channel, self::CHANNELS, true) && $text !== '') {
                $languages = self::parseLanguages($box['languages'] ?? null);
                $boxes[$channel] = ['words' => $text, 'id' => Text::toPlain($box['id'] ?? '', 40)] + ($languages === [] ? [] : ['languages' => $languages]);
            }
        }
        $settings = [
            'version' => Text::cut($input['version'], 64),
            'boxes' => $boxes,
            'before' => in_array($input['before'] ?? '', self::STRICT_MODES, true) ? $input['before'] : 'cart_and_contact',
            'push' => self::parsePush($input['push'] ?? null),
        ];
        if ($settings !== self::readCached()) {
            Connection::save(['settings' => $settings] + Connection::readAll());
        }
    }

    /** @param mixed $input */
    private static function parseLanguages($input): array
    {
        $parsed = [];
        foreach (is_array($input) ? $input : [] as $language => $box) {
            $text = Text::toPlain(is_array($box) ? $box['words'] ?? '' : '', self::MAX_WORDING_LENGTH);
            if (preg_match('/^[a-z]{2}$/D', (string) $language) && $text !== '') {
                $parsed[$language] = ['words' => $text, 'id' => Text::toPlain($box['id'] ?? '', 40)];
            }
        }
        return $parsed;
    }

    /** Accepts scripts of the connected Recoup only.
     * @param mixed $push */
    private static function parsePush($push): ?array
    {
        $parsed = [];
        foreach (['worker', 'widget'] as $name) {
            $address = is_array($push) && is_string($push[$name] ?? null) ? $push[$name] : '';
            if (strncmp($address, Connection::getUrl() . '/', strlen(Connection::getUrl()) + 1) !== 0) {
                return null;
            }
            $parsed[$name] = esc_url_raw($address);
        }
        return $parsed;
    }

    /** Push scripts come from Recoup, not from a signed zip, so the administrator can disable them in wp-config.php. */
    public static function hasPush(): bool
    {
        $isRefused = defined('RECOUP_NO_PUSH') && constant('RECOUP_NO_PUSH');
        return !$isRefused && Connection::isConnected() && !empty(self::readCached()['push']);
    }

    public static function getPushUrl(string $name): string
    {
        $push = self::readCached()['push'] ?? [];
        return is_array($push) ? (string) ($push[$name] ?? '') : '';
    }

    /** Channel => text and its id of the boxes that the checkout shows, in the shopper's language.
     * @return array<string, array> */
    public static function listBoxes(): array
    {
        $language = Language::getCurrent();
        return array_map(static function (array $box) use ($language): array {
            return $box['languages'][$language] ?? ['words' => $box['words'], 'id' => $box['id']];
        }, self::findBoxes());
    }

    /**
     * Finds the box by the id of its text; without an id, the current one. null: the store no longer shows that text.
     */
    public static function findBox(string $channel, string $id): ?array
    {
        $box = self::findBoxes()[$channel] ?? null;
        if ($box === null || $id === '') {
            return self::listBoxes()[$channel] ?? null;
        }
        foreach (array_merge([$box], array_values($box['languages'] ?? [])) as $wording) {
            if ($wording['id'] === $id) {
                return ['words' => $wording['words'], 'id' => $id];
            }
        }
        return null;
    }

    /** Whether a box has translations. */
    public static function hasLanguages(): bool
    {
        return array_column(self::findBoxes(), 'languages') !== [];
    }

    private static function findBoxes(): array
    {
        if (!Connection::isConnected()) {
            return [];
        }
        $boxes = self::readCached()['boxes'] ?? [];
        return array_intersect_key(is_array($boxes) ? $boxes : [], array_flip(self::listChosenChannels()));
    }

    /** @return string[] */
    public static function listChosenChannels(): array
    {
        $chosen = Connection::readAll()['shown'] ?? ['email'];
        return is_array($chosen) ? array_values(array_intersect(self::CHANNELS, $chosen)) : [];
    }
}
