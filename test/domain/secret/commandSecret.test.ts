/** Passwords that are arguments of programs are hidden, and what only looks like them is not. */
import { describe, expect, test } from "bun:test"
import { argumentRules } from "../../../src/domain/secret/commandTable.ts"
import { parts } from "../../../src/domain/secret/mayHoldArgument.ts"
import { quickRedaction } from "../../../src/domain/secret/quickRedaction.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { redactionStream } from "../../../src/domain/secret/RedactionStream.ts"
import { unquoted } from "../../../src/domain/system/shellWords.ts"
import { commandsWithin, commandsWithSecrets, ordinaryCommands } from "../../support/typedCommands.ts"

const hidden: ReadonlyArray<readonly [command: string, left: string]> = [
  ["mysql -uroot -phunter2x shop", "mysql -uroot -p[] shop"],
  ["mysqldump -u root -p'two words' shop > dump.sql", "mysqldump -u root -p'[]' shop > dump.sql"],
  ["cd db && mariadb -h db -proot; ls", "cd db && mariadb -h db -p[]; ls"],
  ["/usr/bin/mysqladmin -pabc123 ping", "/usr/bin/mysqladmin -p[] ping"],
  ["sshpass -p hunter2 ssh -p 22 host", "sshpass -p [] ssh -p 22 host"],
  ["sshpass -phunter2 scp a host:b", "sshpass -p[] scp a host:b"],
  ["redis-cli -h cache -a hunter2 ping", "redis-cli -h cache -a [] ping"],
  ["htpasswd -b .htpasswd alice hunter2", "htpasswd -b .htpasswd alice []"],
  ["htpasswd -nbB alice hunter2 | tee f", "htpasswd -nbB alice [] | tee f"],
  ["openssl enc -aes-256-cbc -k hunter2 -in x", "openssl enc -aes-256-cbc -k [] -in x"],
  ["openssl rsa -passin pass:hunter2 -in k.pem", "openssl rsa -passin pass:[] -in k.pem"],
  ["docker login -u me -p hunter2 r.io", "docker login -u me -p [] r.io"],
  ["helm registry login r.io -u me -p hunter2", "helm registry login r.io -u me -p []"],
  ["az login --service-principal -u app -p hunter2 --tenant t", "az login --service-principal -u app -p [] --tenant t"],
  ["mongosh -u root -p hunter2 admin", "mongosh -u root -p [] admin"],
  ["mongodump -phunter2", "mongodump -p[]"],
  ["ldapsearch -D cn=admin -w hunter2 -b dc=x", "ldapsearch -D cn=admin -w [] -b dc=x"],
  ["sqlcmd -S db -U sa -P hunter2 -Q 'select 1'", "sqlcmd -S db -U sa -P [] -Q 'select 1'"],
  ["zip -P hunter2 a.zip b", "zip -P [] a.zip b"],
  ["7z x -phunter2 a.7z", "7z x -p[] a.7z"],
  ["keytool -list -storepass changeit -keystore k", "keytool -list -storepass [] -keystore k"],
  [
    "aws configure set aws_secret_access_key hunter2 --profile p",
    "aws configure set aws_secret_access_key [] --profile p"
  ],
  ["vault login s.hunter2", "vault login []"],
  ["rabbitmqctl add_user alice hunter2", "rabbitmqctl add_user alice []"],
  ["rabbitmqctl change_password alice hunter2", "rabbitmqctl change_password alice []"],
  ["wpa_passphrase home hunter2x", "wpa_passphrase home []"],
  ["security add-generic-password -a me -s x -w hunter2", "security add-generic-password -a me -s x -w []"],
  ["snmpwalk -v3 -A hunter2 -X hunter3 host", "snmpwalk -v3 -A [] -X [] host"],
  ["curl -b 'session=q7Zt4kLm' https://x.y", "curl -b 'session=[]' https://x.y"],
  ["lftp -u bob,hunter2 ftp.x.y", "lftp -u bob,[] ftp.x.y"],
  ["smbclient -U 'bob%hunter2' //host/a", "smbclient -U 'bob%[]' //host/a"],
  ["npm config set //npm.x.y/:_authToken 0a1b-2c3d", "npm config set //npm.x.y/:_authToken []"],
  ["gh secret set API_KEY --body hunter2", "gh secret set API_KEY --body []"],
  ["echo hunter2 | sudo -S ls", "echo [] | sudo -S ls"],
  ["echo 'bob:hunter2' | chpasswd", "echo '[]' | chpasswd"],
  ["printf '%s' hunter2 | docker login -u me --password-stdin", "printf '%s' [] | docker login -u me --password-stdin"],
  ["echo hunter2 | gh auth login --with-token", "echo [] | gh auth login --with-token"],
  ["chpasswd <<< 'bob:hunter2'", "chpasswd <<< '[]'"],
  ['echo -e "hunter2\\nhunter2" | sudo passwd bob', 'echo -e "[]" | sudo passwd bob'],
  ["sqlplus bob/hunter2@db", "sqlplus bob/[]"],
  ["sudo -S ls <<EOF\nhunter2\nEOF\nls", "sudo -S ls <<EOF\n[]\nEOF\nls"],
  [
    "cat <<'END' | docker login --password-stdin\n  hunter2\nEND",
    "cat <<'END' | docker login --password-stdin\n  []\nEND"
  ],
  ["docker login \\\n  -u me \\\n  -p hunter2 \\\n  r.io", "docker login \\\n  -u me \\\n  -p [] \\\n  r.io"],
  ["heroku config:set -a x \\\r\n  A=hunter2", "heroku config:set -a x \\\r\n  A=[]"],
  ["echo STRIPE=hunter2 | fly secrets import", "echo [] | fly secrets import"],
  [`ssh h 'psql -c "ALTER USER x PASSWORD '"'"'hunter2'"'"'"'`, `ssh h 'psql -c "ALTER USER x PASSWORD '"'"'[]'"'"'"'`],
  ["ipmitool -H bmc -P hunter2 chassis status", "ipmitool -H bmc -P [] chassis status"]
]

const innocent = [
  ...[
    "mkdir -p src/a",
    "ssh -p 22 host",
    "docker run -p 80:80 nginx",
    "docker compose -p shop up",
    "sort -k 2 a",
    "cp -p a b"
  ],
  ...[
    "mysql -u root -p shop",
    "mysql -u root -p",
    "mysql -P 3306 -h db shop",
    'mysql -p"$DB_PASS" shop',
    "mysqldump -p$PW x"
  ],
  ...["mysql --protocol=tcp -e 'select 1'", "apt-get install mysql -y", "which mysql", "systemctl restart mysql -p"],
  ...["sshpass -e ssh host", "sshpass -f file ssh host", 'sshpass -p "$PW" ssh host', "redis-cli -p 6379 ping"],
  ...[
    "htpasswd -c .htpasswd alice",
    "htpasswd .htpasswd alice",
    "openssl rsa -passin env:PW",
    "openssl rsa -passin file:pw"
  ],
  ...[
    "openssl req -new -key k.pem -out r.csr",
    "openssl version",
    "docker login r.io",
    "docker login -u me --password-stdin"
  ],
  ...[
    "podman ps -p",
    "mongod -p 27017",
    "mongo.connect -p 1234",
    "az vm list -p x",
    "zip -r a.zip b",
    "unzip -p a.zip b"
  ],
  ...[
    "gunzip -P x",
    "7z x a.7z",
    "rar a -r a.rar b",
    "tar xzpf a.tgz",
    "vault login -method=oidc",
    "vault login -method=ldap username=me"
  ],
  ...[
    "vault kv get secret/a",
    "aws configure list",
    "rabbitmqctl list_users -p /",
    "npm run test -- -p 3",
    "grep -w -P 'a' b"
  ],
  ...[
    "The mysql -p option asks for it.",
    `grep -n "login('bob', 'x1')" src/login.py`,
    "psql -p 5432 -w shop",
    "cargo test -p dd",
    "tsc -p .",
    "bun test -p",
    "keytool -list -v"
  ]
]

describe("passwords as arguments", () => {
  for (const [command, left] of hidden) {
    test(`are hidden in: ${command}`, () => {
      for (const around of ["", "$ "]) {
        const text = `${around}${command}`
        expect(plainRedaction.text(text)).toBe(`${around}${left.replaceAll("[]", "[REDACTED_CREDENTIAL]")}`)
        expect(quickRedaction([text], [])).toBeNull()
      }
      const once = plainRedaction.text(command)
      expect(plainRedaction.text(once)).toBe(once)
    })
  }

  for (const command of commandsWithSecrets) {
    test(`are hidden, and nothing else is, in: ${command}`, () => {
      const left = plainRedaction.text(command).replaceAll(/\[REDACTED_(?:CREDENTIAL|ENV_VAR)\]/g, "[]")
      expect(left).toBe(command.replaceAll(/hunter[23]|correcthorse/g, "[]"))
      expect(quickRedaction([command], [])).toBeNull()
    })
  }

  const separators = ["\t", "  ", " \t ", "\u00a0", " \\\n", "\\\r\n  ", " `\n ", " ^\r\n"]
  for (const separator of separators) {
    test(`are hidden between words with ${JSON.stringify(separator)}, and nothing else is`, () => {
      for (const [command, left] of [
        ["mysql -phunter2", "mysql -p[]"],
        ["docker login -p hunter2", "docker login -p []"],
        ["'docker' \"login\" -p hunter2", "'docker' \"login\" -p []"]
      ] as const) {
        const apart = (text: string) => text.replaceAll(" ", separator)
        const text = `${apart(command)}\nls\n`
        expect(plainRedaction.text(text)).toBe(`${apart(left).replace("[]", "[REDACTED_CREDENTIAL]")}\nls\n`)
        expect(quickRedaction([text], [])).toBeNull()
        const stream = redactionStream(plainRedaction)
        const pieces = text.split(/(?<=\n)/).map((line) => stream.push(line))
        expect(pieces.join("") + stream.end()).not.toContain("hunter2")
      }
      for (const command of [...hidden.map(([each]) => each), ...commandsWithSecrets]) {
        // Words of one line: a here-document has lines, and a literal may have blanks.
        if (/\n|<<E/.test(command)) continue
        const text = command.replaceAll(/("[^"]*"|'[^']*')| /g, (_, literal?: string) => literal ?? separator)
        expect(plainRedaction.text(text)).not.toMatch(/hunter[23]|correcthorse|changeit/)
        expect(quickRedaction([text], [])).toBeNull()
      }
    })
  }

  const quotings: ReadonlyArray<readonly [string, (word: string) => string]> = [
    ["double quotes", (word) => `"${word}"`],
    ["single quotes", (word) => `'${word}'`],
    ["$'…'", (word) => `$'${word}'`],
    ["a quoted part", (word) => `${word[0]}"${word.slice(1)}"`],
    ["two quoted parts", (word) => `"${word[0]}"'${word.slice(1)}'`],
    ["quotes inside", (word) => (word.length < 3 ? word : `${word.slice(0, 2)}''${word.slice(2)}`)],
    ["a backslash", (word) => `\\${word}`]
  ]
  for (const [name, quoted] of quotings) {
    test(`are hidden in words with ${name}`, () => {
      for (const command of [...hidden.map(([each]) => each), ...commandsWithSecrets]) {
        // Code and input have a syntax of their own, and so have programs that are not known.
        if (/["'\n\\$;|&<>(=:]|^\.\//.test(command)) continue
        const text = command.split(" ").map(quoted).join(" ")
        expect([text, /hunter[23]|correcthorse|changeit/.test(unquoted(plainRedaction.text(text)))]).toEqual([
          text,
          false
        ])
        expect([text, quickRedaction([text], [])]).toEqual([text, null])
      }
    })
  }

  test("are hidden however the program, the options and the end of input are written", () => {
    for (const [command, left] of [
      [`mysql "-phunter2"`, `mysql "-p[]"`],
      ["mysql '-phunter2'", "mysql '-p[]'"],
      ["mysql -p$'hunter2'", "mysql -p$'[]'"],
      [`docker login "-p" hunter2 x`, `docker login "-p" [] x`],
      [`redis-cli "-a" "hunter2"`, `redis-cli "-a" "[]"`],
      ["redis-cli '-a' 'hunter2'", "redis-cli '-a' '[]'"],
      [`m"ysq"l -phunter2`, `m"ysq"l -p[]`],
      ["my\\sql -phunter2", "my\\sql -p[]"],
      ["mysql -vphunter2", "mysql -vp[]"],
      ["sshpass -vp hunter2 ssh x", "sshpass -vp [] ssh x"],
      ["mysql.exe -phunter2", "mysql.exe -p[]"],
      ["C:\\bin\\mysql.EXE -phunter2", "C:\\bin\\mysql.EXE -p[]"],
      [
        "docker login --password-stdin <<'E O F'\nhunter2\nE O F\nls\n",
        "docker login --password-stdin <<'E O F'\n[]\nE O F\nls\n"
      ],
      [
        'docker login --password-stdin <<"END"\nhunter2\nEND\nls\n',
        'docker login --password-stdin <<"END"\n[]\nEND\nls\n'
      ],
      [
        "docker login --password-stdin <<\\END\nhunter2\nEND\nls\n",
        "docker login --password-stdin <<\\END\n[]\nEND\nls\n"
      ]
    ] as const) {
      expect(plainRedaction.text(command)).toBe(left.replace("[]", "[REDACTED_CREDENTIAL]"))
      expect([command, quickRedaction([command], [])]).toEqual([command, null])
      const stream = redactionStream(plainRedaction)
      const pieces = command.split(/(?<=\n)/).map((line) => stream.push(line))
      expect(pieces.join("") + stream.end()).not.toContain("hunter2")
    }
  })

  test("in the lines of a here-document end with it; text about one stays", () => {
    const typed = "passwd bob <<EOF\nhunter2\nhunter2\nEOF\nls -l\n"
    expect(plainRedaction.text(typed)).toBe(typed.replaceAll("hunter2", "[REDACTED_CREDENTIAL]"))
    const cut = "passwd bob <<EOF\nhunter2\nls -l\n"
    expect(plainRedaction.text(cut)).toBe(cut.replace("hunter2", "[REDACTED_CREDENTIAL]"))
    const text = "Type `docker login --password-stdin <<EOF` with the lines below.\nThen go on.\n"
    expect(plainRedaction.text(text)).toBe(text)
  })

  test("in code over several lines are hidden, also if it arrives in pieces", () => {
    for (const code of [
      `python3 -c "\nimport smtplib\ns.login('bob@x.y', 'hunter2')\n" && ls\n`,
      "cd web && python manage.py shell <<EOF\nUser.objects.create_superuser('a', 'a@b.c', 'hunter2')\nEOF\nls\n",
      "cat > ~/.pgpass <<EOF\ndb:5432:*:bob:hunter2\nEOF\nls\n"
    ]) {
      const text = `${"ls\n".repeat(3)}${code}${"ls\n".repeat(9)}`
      const whole = text.replace("hunter2", "[REDACTED_CREDENTIAL]")
      expect(plainRedaction.text(text)).toBe(whole)
      const stream = redactionStream(plainRedaction)
      const lines = text.split(/(?<=\n)/).map((line) => stream.push(line))
      expect(lines.join("") + stream.end()).toBe(whole)
    }
  })

  test("are not seen in commands that have none", () => {
    for (const command of [...innocent, ...ordinaryCommands]) expect(plainRedaction.text(command)).toBe(command)
  })

  test("are hidden in commands within commands, and nothing is in those that have none", () => {
    for (const within of commandsWithin) {
      for (const command of commandsWithSecrets) {
        const text = within(command)
        expect(plainRedaction.text(text)).not.toMatch(/hunter[23]|correcthorse/)
        expect(quickRedaction([text], [])).toBeNull()
      }
      // The message of a program is no command.
      for (const command of ordinaryCommands.filter((each) => !each.includes(" error: ")))
        expect(plainRedaction.text(within(command))).toBe(within(command))
    }
  })

  test("are searched for by a part of each command", () => {
    for (const [program = "", ...subcommands] of argumentRules().flatMap(({ commands }) => commands)) {
      const texts = [`${program} `, ...(subcommands.length === 0 ? [] : [` ${subcommands.join(" ")} `])]
      expect([program, subcommands, parts.some((part) => texts.some((text) => text.includes(part)))]).toEqual([
        program,
        subcommands,
        true
      ])
    }
  })

  test("cost the same for each of many programs on one line", () => {
    const line = "mysql -u ".repeat(20_000)
    expect(plainRedaction.text(line)).toBe(line)
  })
})
