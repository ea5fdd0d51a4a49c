/** Places. */
import { cases } from '../support/cases.ts'

cases('geo')`
  ## GEOADD and what it stores
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
  GEOADD g 13.361389 38.115556 Palermo => :0
  GEOADD g NX 14 38 Palermo 14 38 Enna => :1
  GEOADD g XX 14 37 Palermo 14 37 Ragusa => :0
  GEOADD g CH 13.361389 38.115556 Palermo => :1
  GEOADD g XX NX 1 1 a               => -ERR syntax error
  GEOADD g 1 1                       => -ERR wrong number of arguments for 'geoadd' command
  GEOADD g 1 1 a 2                   => -ERR syntax error
  GEOADD g CH CH CH                  => -ERR syntax error
  GEOADD g a 1 m                     => -ERR value is not a valid float
  GEOADD g 1 b m                     => -ERR value is not a valid float
  GEOADD g 181 1 m                   => -ERR invalid longitude,latitude pair 181.000000,1.000000
  GEOADD g 1 86 m                    => -ERR invalid longitude,latitude pair 1.000000,86.000000
  GEOADD g -180.1 -85.06 m           => -ERR invalid longitude,latitude pair -180.100000,-85.060000
  GEOADD g nan 1 m                   => -ERR value is not a valid float
  GEOADD g inf 1 m                   => -ERR invalid longitude,latitude pair inf,1.000000
  ZRANGE g 0 -1 WITHSCORES           => [Palermo 3479099956230698 Enna 3479107959090919 Catania 3479447370796909] | [[Palermo ,3479099956230698] [Enna ,3479107959090919] [Catania ,3479447370796909]]
  TYPE g                             => +zset
  SET s v                            => +OK
  GEOADD s 1 1 a                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  GEOADD s 181 1 a                   => -ERR invalid longitude,latitude pair 181.000000,1.000000

  ## positions and hashes
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
  GEOPOS g Palermo nobody Catania    => [[13.36138933897018433 38.11555639549629859] nil* [15.08726745843887329 37.50266842333162032]] | [[,13.36138933897018433 ,38.11555639549629859] nil [,15.08726745843887329 ,37.50266842333162032]]
  GEOPOS nokey Palermo               => [nil*]
  GEOPOS g                           => []
  GEOHASH g Palermo nobody Catania   => [sqc8b49rny0 nil sqdtr74hyu0]
  GEOHASH nokey Palermo              => [nil]
  GEOHASH g                          => []
  SET s v                            => +OK
  GEOPOS s a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  GEOHASH s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## the poles and the 180th meridian
  GEOADD g 180 85.05112878 ne -180 -85.05112878 sw 180 -85.05112878 se -180 85.05112878 nw 0 0 zero => :5
  ZRANGE g 0 -1 WITHSCORES           => [sw 0 zero 3377699720527872 nw 4503599627370496 se 9007199254740992 ne 13510798882111488] | [[sw ,0] [zero ,3377699720527872] [nw ,4503599627370496] [se ,9007199254740992] [ne ,13510798882111488]]
  GEOPOS g ne sw se nw zero          => [[,180 ,85.0511287799999991] [,-179.99999731779098511 ,-85.05112751263942528] [,180 ,-85.05112751263942528] [,-179.99999731779098511 ,85.0511287799999991] [,0.00000268220901489 ,0.00000126736058093]]
  GEOHASH g ne sw se nw zero         => [bp05b5048p0 00bh0hbj200 00bh0hbj200 bp05b5048p0 s0000000000]
  GEODIST g ne nw km                 => 0.0000
  GEODIST g sw se                    => 0.0257
  GEODIST g zero ne                  => 10560811.4940
  GEOSEARCH g FROMLONLAT 180 85.05112878 BYRADIUS 10 km ASC WITHDIST => [[ne 0.0000]]
  GEOSEARCH g FROMLONLAT -180 -85 BYBOX 1000 1000 km WITHCOORD => [[sw [,-179.99999731779098511 ,-85.05112751263942528]]]
  GEOADD h 179.9 0 east -179.9 0 west 179.5 1 farther => :3
  GEOSEARCH h FROMLONLAT 179.95 0 BYRADIUS 30 km ASC WITHDIST => [[east 5.5614] [west 16.6840]]
  GEOSEARCH h FROMLONLAT 179.95 0 BYBOX 100 100 km ASC => [east west]
  GEOSEARCH h FROMLONLAT 0 0 BYRADIUS 25000 km ASC => [farther east west]

  ## GEODIST
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
  GEODIST g Palermo Catania          => 166274.1516
  GEODIST g Palermo Catania km       => 166.2742
  GEODIST g Palermo Catania KM       => 166.2742
  GEODIST g Palermo Catania mi       => 103.3182
  GEODIST g Palermo Catania ft       => 545518.8700
  GEODIST g Palermo Catania yards    => -ERR unsupported unit provided. please use M, KM, FT, MI
  GEODIST g Palermo Palermo          => 0.0000
  GEODIST g Palermo nobody           => nil
  GEODIST nokey a b                  => nil
  GEODIST nokey a b yards            => -ERR unsupported unit provided. please use M, KM, FT, MI
  GEODIST g Palermo Catania km x     => -ERR syntax error

  ## GEOSEARCH
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania 12.758489 38.788135 edge1 17.241510 38.788135 edge2 => :4
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC => [Catania Palermo]
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km DESC WITHDIST => [[Palermo 190.4424] [Catania 56.4413]]
  GEOSEARCH g FROMLONLAT 15 37 BYBOX 400 400 km ASC WITHCOORD WITHDIST WITHHASH => [[Catania 56.4413 :3479447370796909 [,15.08726745843887329 ,37.50266842333162032]] [Palermo 190.4424 :3479099956230698 [,13.36138933897018433 ,38.11555639549629859]] [edge2 279.7403 :3481342659049484 [,17.24151045083999634 ,38.78813451624225195]] [edge1 279.7405 :3479273021651468 [,12.7584877610206604 ,38.78813451624225195]]]
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 200 km ASC WITHHASH => [[Palermo :3479099956230698] [edge1 :3479273021651468] [Catania :3479447370796909]]
  GEOSEARCH g FROMMEMBER Palermo BYBOX 0 0 km => [Palermo]
  GEOSEARCH g FROMMEMBER Palermo BYRADIUS 0 km => [Palermo]
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km COUNT 1 => [Catania]
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km COUNT 1 DESC => [Palermo]
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 500 km COUNT 2 ANY ASC => @[any any]
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km COUNT 0 => -ERR COUNT must be > 0
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km COUNT -1 => -ERR COUNT must be > 0
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km COUNT abc => -ERR value is not an integer or out of range
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ANY => -ERR the ANY argument requires COUNT argument
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS -1 km => -ERR radius cannot be negative
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS abc km => -ERR need numeric radius
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 1 yards => -ERR unsupported unit provided. please use M, KM, FT, MI
  GEOSEARCH g FROMLONLAT 15 37 BYBOX 1 abc km => -ERR need numeric height
  GEOSEARCH g FROMLONLAT 15 37 BYBOX abc 1 km => -ERR need numeric width
  GEOSEARCH g FROMLONLAT 15 37 BYBOX -1 1 km => -ERR height or width cannot be negative
  GEOSEARCH g FROMLONLAT 15 37 BYBOX 1 1 yards => -ERR unsupported unit provided. please use M, KM, FT, MI
  GEOSEARCH g FROMLONLAT 200 37 BYRADIUS 1 km => -ERR invalid longitude,latitude pair 200.000000,37.000000
  GEOSEARCH g FROMLONLAT a 37 BYRADIUS 1 km => -ERR value is not a valid float
  GEOSEARCH g FROMMEMBER nobody BYRADIUS 1 km => -ERR could not decode requested zset member
  GEOSEARCH g BYRADIUS 1 km WITHDIST ASC => -ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GEOSEARCH
  GEOSEARCH g FROMLONLAT 15 37 ASC WITHDIST => -ERR exactly one of BYRADIUS and BYBOX can be specified for GEOSEARCH
  GEOSEARCH g FROMLONLAT 15 37 FROMMEMBER Palermo BYRADIUS 1 km => -ERR syntax error
  GEOSEARCH g FROMMEMBER Palermo FROMLONLAT 15 37 BYRADIUS 1 km => -ERR syntax error
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 1 km BYBOX 1 1 km => -ERR syntax error
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 1 km STOREDIST => -ERR syntax error
  GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 1 km STORE d => -ERR syntax error
  GEOSEARCH nokey FROMLONLAT 15 37 BYRADIUS 1 km => []
  GEOSEARCH nokey FROMMEMBER a BYRADIUS 1 km => []
  GEOSEARCH nokey FROMMEMBER a BYRADIUS abc km => -ERR need numeric radius
  GEOSEARCH nokey FROMLONLAT 15 37 BYRADIUS 1 km COUNT 0 => -ERR COUNT must be > 0
  SET s v                            => +OK
  GEOSEARCH s FROMLONLAT 15 37 BYRADIUS abc km => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## GEOSEARCHSTORE
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
  GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km => :2
  ZRANGE d 0 -1 WITHSCORES           => [Palermo 3479099956230698 Catania 3479447370796909] | [[Palermo ,3479099956230698] [Catania ,3479447370796909]]
  GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km STOREDIST => :2
  ZRANGE d 0 -1                      => [Catania Palermo]
  GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km COUNT 1 => :1
  ZRANGE d 0 -1                      => [Catania]
  GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 1 km => :0
  EXISTS d                           => :0
  GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km WITHDIST => -ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options
  GEOSEARCHSTORE d g BYRADIUS 200 km WITHDIST => -ERR wrong number of arguments for 'geosearchstore' command
  GEOSEARCHSTORE d g BYRADIUS 200 km COUNT 1 => -ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GEOSEARCHSTORE
  SET d v                            => +OK
  GEOSEARCHSTORE d nokey FROMLONLAT 15 37 BYRADIUS 1 km => :0
  EXISTS d                           => :0

  ## GEORADIUS and GEORADIUSBYMEMBER
  GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania => :2
  GEORADIUS g 15 37 200 km ASC       => [Catania Palermo]
  GEORADIUS g 15 37 200 km WITHCOORD WITHDIST WITHHASH COUNT 1 => [[Catania 56.4413 :3479447370796909 [,15.08726745843887329 ,37.50266842333162032]]]
  GEORADIUS g 15 37 200 km STORE d   => :2
  ZRANGE d 0 -1 WITHSCORES           => [Palermo 3479099956230698 Catania 3479447370796909] | [[Palermo ,3479099956230698] [Catania ,3479447370796909]]
  GEORADIUS g 15 37 200 km STOREDIST d STORE e => :2
  EXISTS d e                         => :2
  GEORADIUS g 15 37 200 km STORE     => -ERR syntax error
  GEORADIUS g 15 37 200 km WITHDIST STORE d => -ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options
  GEORADIUS g 15 37 200 km FROMMEMBER Palermo => -ERR syntax error
  GEORADIUS g 15 37 abc km           => -ERR need numeric radius
  GEORADIUS g a 37 200 km            => -ERR value is not a valid float
  GEORADIUS nokey 15 37 200 km       => []
  GEORADIUS nokey 15 37 200 km STORE d => :0
  EXISTS d                           => :0
  GEORADIUSBYMEMBER g Palermo 200 km ASC => [Palermo Catania]
  GEORADIUSBYMEMBER g nobody 200 km  => -ERR could not decode requested zset member
  GEORADIUSBYMEMBER nokey nobody 200 yards => []
  GEORADIUSBYMEMBER g Palermo 200 km STORE d => :2
  ZRANGE d 0 -1                      => [Palermo Catania]
  GEORADIUS_RO g 15 37 200 km ASC    => [Catania Palermo]
  GEORADIUS_RO g 15 37 200 km STORE d => -ERR syntax error
  GEORADIUSBYMEMBER_RO g Palermo 200 km DESC WITHDIST => [[Catania 166.2742] [Palermo 0.0000]]
  GEORADIUSBYMEMBER_RO g Palermo 200 km STOREDIST d => -ERR syntax error

  ## scores that are no positions
  ZADD g -1 a inf b -inf c 1.5 d 1e300 e => :5
  GEOPOS g a b c d e                 => [[,180 ,85.0511287799999991] [,-179.99999731779098511 ,-85.05112751263942528] [,180 ,-85.05112751263942528] [,-179.99999731779098511 ,-85.05112497791824921] [,-179.99999731779098511 ,-85.05112751263942528]]
  GEOHASH g a b c d e                => [bp05b5048p0 00bh0hbj200 00bh0hbj200 00bh0hbj210 00bh0hbj200]
  GEODIST g a b                      => 18919844.5891
`
