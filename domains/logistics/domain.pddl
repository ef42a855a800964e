; Packages travel by truck inside a city and by airplane between airports.
; Every city has one airport and one truck; a step moves one vehicle or one
; package.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types
    city location thing - object
    airport - location
    package vehicle - thing
    truck airplane - vehicle)
  (:predicates
    (in-city ?location - location ?city - city)
    (at ?thing - thing ?location - location)
    (in ?package - package ?vehicle - vehicle))

  (:action load-truck
    :parameters (?package - package ?truck - truck ?location - location)
    :precondition (and (at ?package ?location) (at ?truck ?location))
    :effect (and (in ?package ?truck) (not (at ?package ?location))))

  (:action unload-truck
    :parameters (?package - package ?truck - truck ?location - location)
    :precondition (and (in ?package ?truck) (at ?truck ?location))
    :effect (and (at ?package ?location) (not (in ?package ?truck))))

  (:action load-airplane
    :parameters (?package - package ?airplane - airplane ?airport - airport)
    :precondition (and (at ?package ?airport) (at ?airplane ?airport))
    :effect (and (in ?package ?airplane) (not (at ?package ?airport))))

  (:action unload-airplane
    :parameters (?package - package ?airplane - airplane ?airport - airport)
    :precondition (and (in ?package ?airplane) (at ?airplane ?airport))
    :effect (and (at ?package ?airport) (not (in ?package ?airplane))))

  (:action drive-truck
    :parameters (?truck - truck ?from - location ?to - location ?city - city)
    :precondition (and (at ?truck ?from) (in-city ?from ?city) (in-city ?to ?city))
    :effect (and (not (at ?truck ?from)) (at ?truck ?to)))

  (:action fly-airplane
    :parameters (?airplane - airplane ?from - airport ?to - airport)
    :precondition (at ?airplane ?from)
    :effect (and (not (at ?airplane ?from)) (at ?airplane ?to))))
