// URLs that must be rejected at once, without a DNS lookup. `SCHEME` stands for the scheme that the field accepts.

const LOOPBACK = [
  ...['127.0.0.1', '127.0.0.1:8080', '127.9.9.9', '127.255.255.254', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001'],
  ...[
    '0x7f.0.0.1',
    '0x7f.1',
    '0177.0.0.1',
    '0177.1',
    '127.0.0.1.',
    '127.0.0.0x1',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
  ],
  ...['0.0.0.0', '0', '0x0', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]'],
]
const INSIDE_IPV6 = [
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:10.0.0.1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...[
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::]',
    '[2001::1]',
    '[2001:db8::1]',
  ],
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[5f00::1]'],
]
const PRIVATE = [
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.0.192',
  ],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '3232235777', '0xc0a80101'],
]
const METADATA = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.170.2',
  '168.63.129.16',
  'metadata.google.internal',
]
const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain',
  'intranet',
  'printer.local',
  'router.home.arpa',
]
const USERS = ['user@hooks.example', 'user:password@hooks.example', 'hooks.example@127.0.0.1', '127.0.0.1:80@hooks.example']

export const HOSTILE_URLS: readonly string[] = [
  ...[...LOOPBACK, ...INSIDE_IPV6, ...PRIVATE, ...METADATA, ...NAMES, ...USERS].map((place) => `SCHEME://${place}/x`),
  ...[
    'SCHEME:hooks.example/x',
    'SCHEME:/127.0.0.1/x',
    'SCHEME://hooks.example\\@127.0.0.1/x',
    ' SCHEME://hooks.example/',
    'SCHEME://',
    'SCHEME:///x',
  ],
  ...['file:///etc/passwd', 'gopher://hooks.example/', 'javascript:alert(1)', 'data:text/plain,x', '//127.0.0.1/x', 'hooks.example/x'],
]
